# SPDX-License-Identifier: GPL-3.0-or-later
# Data; then x, mean, epistemic and whole standard deviation
set xlabel 'x'
set ylabel 'y'
set xrange [-1:3]
set yrange [-2:5]
plot data index 1 using 1:($2 - 2 * $4):($2 + 2 * $4) with filledcurves fc '#f5d5b8' \
        title 'epistemic + noise, ±2 sd', \
    '' index 1 using 1:($2 - 2 * $3):($2 + 2 * $3) with filledcurves fc '#8fc1de' title 'epistemic, ±2 sd', \
    '' index 1 using 1:2 with lines lw 2 lc '#0072b2' title 'mean', \
    '' index 1 using 1:(0.2 + 0.6 * $1) with lines lw 1.5 dt 2 lc '#000000' title 'the true line', \
    '' index 0 with points pt 7 ps 0.7 lc '#000000' title 'data'
