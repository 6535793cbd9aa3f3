# SPDX-License-Identifier: GPL-3.0-or-later
# k, size of the bias and standard deviation of one draw
set logscale xy
set xlabel 'k: how steep the smoothed jump is'
set ylabel 'of the pathwise gradient'
set format y '10^{%L}'
set xrange [0.9:160]
set yrange [1e-6:20]
set xtics (1, 2, 4, 8, 16, 32, 64, 128)
set key bottom left
plot data using 1:3 with linespoints lw 2 pt 7 ps 0.6 lc '#d55e00' title 'standard deviation of one draw', \
    '' using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc '#0072b2' title 'size of the bias'
