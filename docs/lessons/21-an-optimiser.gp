# SPDX-License-Identifier: GPL-3.0-or-later
# step and KL(q || posterior): rprop and adam by exact gradients, then both by noisy ones
set multiplot layout 1, 2
set logscale y
set format y '10^{%L}'
set xlabel 'step'
set ylabel 'KL(q ‖ posterior)'
set xrange [0:400]
set xtics 100
set key top right
set yrange [1e-16:1000]
set title 'exact gradients' offset 0, -1
plot data index 1 with lines lw 2 dt 2 lc '#d55e00' title 'Adam', \
    data index 0 with lines lw 2 lc '#0072b2' title 'Rprop'
set key bottom left
set title 'gradients of one draw' offset 0, -1
plot data index 3 with lines lw 2 dt 2 lc '#d55e00' title 'Adam', \
    data index 2 with lines lw 2 lc '#0072b2' title 'Rprop'
