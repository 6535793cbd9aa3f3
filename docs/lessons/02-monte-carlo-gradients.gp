# SPDX-License-Identifier: GPL-3.0-or-later
# for pathwise, score and naive, each in a block: draws, and the mean of their gradients in mu
set logscale x
set format x '10^{%L}'
set xlabel 'draws'
set ylabel 'mean gradient in μ'
set xrange [10:1e5]
set yrange [-5:3]
set key bottom right
plot -2 with lines lw 1.5 dt 2 lc '#000000' title 'the gradient: -2', \
    data index 1 with lines lw 2 lc '#d55e00' title 'score', \
    '' index 0 with lines lw 2 lc '#0072b2' title 'pathwise', \
    '' index 2 with lines lw 2 dt 4 lc '#009e73' title 'naive'
