# SPDX-License-Identifier: GPL-3.0-or-later
# K, gap and its limit, signal-to-noise ratios of pathwise and dreg
set multiplot layout 1, 2
set logscale xy
set xlabel 'draws K of the bound'
set xrange [0.8:80]
set xtics (1, 4, 16, 64)
set format y '10^{%L}'
set key bottom left
set yrange [1e-3:1]
set ylabel 'log p(y) − bound'
plot data using 1:3 with lines lw 2 dt 2 lc '#d55e00' title 'v / 2K', \
    '' using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc '#0072b2' title 'the gap'
set key top left
set yrange [0.01:50]
set ylabel 'signal ÷ noise of the gradient in m'
plot data using 1:5 with linespoints lw 2 pt 7 ps 0.6 lc '#009e73' title 'dreg', \
    '' using 1:4 with linespoints lw 2 pt 7 ps 0.6 lc '#000000' title 'pathwise'
