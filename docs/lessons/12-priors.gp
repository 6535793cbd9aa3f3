# SPDX-License-Identifier: GPL-3.0-or-later
# What was seen, and the mean of the weight with each of four priors; then means of q
set xlabel 'what was seen of a weight'
set ylabel 'share that is kept: mean / seen'
set xrange [0:4.5]
set yrange [0:1.05]
set key bottom right
plot data index 0 using 1:($2 / $1) with lines lw 2 lc '#000000' title 'normal', \
    '' index 0 using 1:($3 / $1) with lines lw 2 dt 2 lc '#0072b2' title 'Laplace', \
    '' index 0 using 1:($4 / $1) with lines lw 2 dt 4 lc '#d55e00' title 'scale mixture', \
    '' index 0 using 1:($5 / $1) with lines lw 2 lc '#009e73' title 'horseshoe', \
    '' index 1 using 1:($2 / $1) with points pt 7 ps 0.7 lc '#000000' title 'fitted normals', \
    '' index 1 using 1:($3 / $1) with points pt 7 ps 0.7 lc '#0072b2' notitle, \
    '' index 1 using 1:($4 / $1) with points pt 7 ps 0.7 lc '#d55e00' notitle, \
    '' index 1 using 1:($5 / $1) with points pt 7 ps 0.7 lc '#009e73' notitle
