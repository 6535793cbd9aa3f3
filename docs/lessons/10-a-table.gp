# SPDX-License-Identifier: GPL-3.0-or-later
# for a line, Bayes by Backprop and MC dropout: outcome, mean and standard deviation of the held-out rows
set terminal svg size 960,360 font 'sans-serif,12' background '#ffffff'
set multiplot layout 1, 3
set xlabel 'outcome'
set ylabel 'prediction, ±2 sd'
set xrange [0:30]
set yrange [-2:32]
unset key
do for [k = 0:2] {
    set title word('"a line" "Bayes by Backprop" "MC dropout"', k + 1) offset 0, -1
    plot x with lines lw 1 dt 2 lc '#888888', \
        data index k using 1:2:(2 * $3) with yerrorbars pt 7 ps 0.4 lw 1 lc '#0072b2'
}
