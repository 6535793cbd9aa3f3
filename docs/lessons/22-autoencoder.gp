# SPDX-License-Identifier: GPL-3.0-or-later
# The data; then z, the line and the curve of the network
set terminal svg size 560,420 font 'sans-serif,12' background '#ffffff'
set xlabel 'x_1'
set ylabel 'x_2'
set xrange [-2.2:2.2]
set yrange [-1.5:2.5]
two(z, value) = abs(z) <= 2 ? value : NaN
plot data index 0 with points pt 7 ps 0.3 lc '#999999' title 'data', \
    '' index 1 using (two($1, $2)):3 with lines lw 2 dt 2 lc '#d55e00' \
        title 'decoder: a line, z from −2 to 2', \
    '' index 1 using (two($1, $4)):5 with lines lw 2 lc '#0072b2' title 'decoder: a network', \
    '' index 1 using (abs($1 - floor($1 + 0.01)) < 0.01 ? two($1, $4) : NaN):5 with points pt 7 ps 0.8 \
        lc '#0072b2' title 'at z = −2, −1, 0, 1, 2'
