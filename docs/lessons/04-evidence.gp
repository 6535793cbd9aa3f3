# SPDX-License-Identifier: GPL-3.0-or-later
# step, ELBO, log Z
set xlabel 'step'
set ylabel 'nats'
set logscale x
set xrange [1:2000]
set yrange [-20:-7]
set key bottom right
plot data using 1:2:3 with filledcurves fc '#bfdcec' title 'KL(q ‖ posterior)', \
    '' using 1:2 with lines lw 2 lc '#0072b2' title 'ELBO', \
    '' using 1:3 with lines lw 2 dt 2 lc '#000000' title 'log Z'
