# SPDX-License-Identifier: GPL-3.0-or-later
# Data in block 0; then a block for each of `names`: x, mean, sd of f(x, w), without the noise.
set multiplot layout 1, words(names)
set xlabel 'x'
set ylabel 'y   (bands: sd of f, σ left out)'
set xrange [-0.2:1.2]
set yrange [-1.5:2.5]
set xtics 0.2
do for [k = 1:words(names)] {
    set title word(names, k) offset 0, -1
    plot for [n = 3:1:-1] data index k every 2 using 1:($2 - n * $3):($2 + n * $3) with filledcurves \
            fc rgb (n == 3 ? 0xe5f1f8 : n == 2 ? 0xbfdcec : 0x8fc1de) title sprintf('±%d sd', n), \
        data index k using 1:2 with lines lw 2 lc '#0072b2' title 'mean', \
        '' index 0 with points pt 7 ps 0.35 lc '#000000' title 'data'
}
