# SPDX-License-Identifier: GPL-3.0-or-later
# Some draws, and the share of draws that are at least as large
set logscale xy
set xlabel 'loss x'
set ylabel 'P(loss > x)'
set xrange [0.01:200]
set yrange [1e-5:1.2]
set format '10^{%L}'
set key bottom left
plot (1 + x / 2) ** -3 with lines lw 2 lc '#0072b2' title 'lomax, shape 3, scale 2', \
    exp(-x) with lines lw 2 dt 2 lc '#d55e00' title 'exponential of the same mean', \
    data with points pt 7 ps 0.5 lc '#000000' title '100,000 draws'
