# SPDX-License-Identifier: GPL-3.0-or-later
# How pictures of lessons look. A lesson writes the numbers of its picture to the file that it is given; from
# this folder:
#     ../../build/release/examples/05_minibatches numbers
#     gnuplot -e "load 'style.gp'; data = 'numbers'" 05-minibatches.gp >05-minibatches.svg
set terminal svg size 720,380 font 'sans-serif,12' background '#ffffff'
set border 3 lc '#888888'
set tics nomirror out
set key top left Left reverse samplen 2
