# SPDX-License-Identifier: GPL-3.0-or-later
names = '"prior N(0, 1)" "prior ¼ N(0, 1) + ¾ N(0, e^{-12})"'
load 'curves.gp'
