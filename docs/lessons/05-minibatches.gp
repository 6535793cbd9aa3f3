# SPDX-License-Identifier: GPL-3.0-or-later
# rows, then sd and closed form of one draw for the batch, and of one for each row
set logscale xy
set xlabel 'rows in the batch'
set ylabel 'standard deviation of the gradient in m'
set xtics (1, 2, 4, 8, 16, 32, 64)
set ytics (20, 50, 100, 200, 500)
set xrange [0.9:71]
set yrange [20:900]
set key bottom left
plot data using 1:3 with lines lw 2 lc '#0072b2' title 'one draw for the batch: closed form', \
    '' using 1:2 with points pt 7 ps 0.8 lc '#0072b2' title '40,000 runs', \
    '' using 1:5 with lines lw 2 lc '#d55e00' title 'one draw for each row: closed form', \
    '' using 1:4 with points pt 7 ps 0.8 lc '#d55e00' title '40,000 runs'
