# SPDX-License-Identifier: GPL-3.0-or-later
# For shared, weights and local: variance in m and closed form, variance in s and closed form
set multiplot layout 1, 2
set logscale xy
set xlabel 'inputs of the layer'
set xrange [0.8:80]
set xtics (1, 4, 16, 64)
set format y '10^{%L}'
set yrange [10:10000]
set ylabel 'variance of a gradient in a mean'
plot data using (4**$0):2 with lines lw 2 lc '#000000' title 'one draw for all rows', \
    '' using (4**$0):10 with lines lw 2 lc '#0072b2' title 'weights of each row, local', \
    '' using (4**$0):1 with points pt 7 ps 0.6 lc '#000000' notitle, \
    '' using (4**$0):5 with points pt 7 ps 0.6 lc '#d55e00' notitle, \
    '' using (4**$0):9 with points pt 6 ps 0.9 lc '#0072b2' notitle
set key bottom left
set yrange [0.01:10000]
set ylabel 'variance of a gradient in a scale'
plot data using (4**$0):4 with lines lw 2 lc '#000000' title 'one draw for all rows', \
    '' using (4**$0):8 with lines lw 2 dt 2 lc '#d55e00' title 'weights of each row', \
    '' using (4**$0):12 with lines lw 2 lc '#0072b2' title 'local', \
    '' using (4**$0):3 with points pt 7 ps 0.6 lc '#000000' notitle, \
    '' using (4**$0):7 with points pt 7 ps 0.6 lc '#d55e00' notitle, \
    '' using (4**$0):11 with points pt 6 ps 0.9 lc '#0072b2' notitle
