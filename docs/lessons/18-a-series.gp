# SPDX-License-Identifier: GPL-3.0-or-later
# time, datum, mean and standard deviation of the level given the data until then
set xlabel 'time'
set ylabel 'y'
set xrange [0:61]
set yrange [-0.5:3.7]
plot data using 1:($3 - 2 * $4):($3 + 2 * $4) with filledcurves fc '#8fc1de' title 'level, ±2 sd', \
    '' using 1:3 with lines lw 2 lc '#0072b2' title 'mean of the level, given the data until then', \
    '' using 1:2 with points pt 7 ps 0.5 lc '#000000' title 'data'
