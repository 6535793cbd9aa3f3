# SPDX-License-Identifier: GPL-3.0-or-later
# x, P(1), total entropy, noise; then the data
set multiplot layout 1, 2
set xlabel 'x'
set xrange [-6:6]
set ylabel 'probability of class 1'
set yrange [-0.05:1.25]
plot data index 0 using 1:2 with lines lw 2 lc '#0072b2' title 'prediction', \
    '' index 1 with points pt 7 ps 0.6 lc '#000000' title 'data'
set ylabel 'entropy in nats'
set yrange [0:0.9]
plot data index 0 using 1:4:3 with filledcurves fc '#8fc1de' title 'information', \
    '' index 0 using 1:(0):4 with filledcurves fc '#f5d5b8' title 'noise', \
    '' index 0 using 1:3 with lines lw 2 lc '#0072b2' title 'total'
