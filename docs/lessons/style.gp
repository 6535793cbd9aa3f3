# SPDX-License-Identifier: GPL-3.0-or-later
# How pictures of lessons look.
set terminal svg size 720,380 font 'sans-serif,12' background '#ffffff'
set border 3 lc '#888888'
set tics nomirror out
set key top left Left reverse samplen 2
