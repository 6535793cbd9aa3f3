# SPDX-License-Identifier: GPL-3.0-or-later
set terminal svg size 960,380 font 'sans-serif,12' background '#ffffff'
names = 'point dropout "mean field"'
load 'curves.gp'
