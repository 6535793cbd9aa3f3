# SPDX-License-Identifier: GPL-3.0-or-later
# for either fee mu, then variance and closed form of score, of measure, and of pathwise
set terminal svg size 820,360 font 'sans-serif,12' background '#ffffff'
set multiplot layout 1, 2
set xlabel 'μ'
set ylabel 'variance of the gradient in μ'
set logscale y
set format y '%g'
set xrange [14:46]
set yrange [0.05:30000]
set key top right
do for [fee = 0:1] {
    set title (fee ? 'with a fee: the cost jumps' : 'without a fee: it has kinks') offset 0, -1
    plot data index fee using 1:3 with lines lw 2 lc '#d55e00' title 'score', \
        '' index fee using 1:2 with points pt 7 ps 0.5 lc '#d55e00' notitle, \
        '' index fee using 1:5 with lines lw 2 dt 2 lc '#009e73' title 'measure', \
        '' index fee using 1:4 with points pt 7 ps 0.5 lc '#009e73' notitle, \
        '' index fee using 1:7 with lines lw 2 lc '#0072b2' title (fee ? '' : 'pathwise'), \
        '' index fee using 1:6 with points pt 7 ps 0.5 lc '#0072b2' notitle
}
