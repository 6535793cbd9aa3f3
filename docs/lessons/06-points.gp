# SPDX-License-Identifier: GPL-3.0-or-later
# for each prior the point; then w, the posterior but for a constant, and q
set multiplot layout 1, 2
set xlabel 'second weight'
set ylabel 'density'
set xrange [-0.5:0.6]
set yrange [0:9]
set xtics 0.2
set key top right
do for [k = 0:1] {
    set title (k ? 'Laplace prior (L1)' : 'normal prior (L2)') offset 0, -1
    stats data index 2 * k + 1 using 2 nooutput
    whole = STATS_sum * 0.005
    plot data index 2 * k + 1 using 1:($2 / whole) with filledcurves y=0 fc '#bfdcec' title 'posterior', \
        '' index 2 * k + 1 using 1:3 with lines lw 2 lc '#d55e00' title 'gb\_mean\_field', \
        '' index 2 * k using 1:(5.5) with impulses lw 2 lc '#000000' title 'gb\_point'
}
