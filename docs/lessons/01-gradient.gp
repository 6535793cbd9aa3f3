# SPDX-License-Identifier: GPL-3.0-or-later
# x and the derivatives of order 0 to 3; then step, and how far off are descent, Newton's method and its
# closed form
set multiplot layout 1, 2
set xlabel 'x'
set ylabel 'f and its derivatives'
set xrange [-5:1]
set yrange [-0.5:3]
set title 'x e^x  and its derivatives' offset 0, -1
plot data index 0 using 1:2 with lines lw 2 lc '#000000' title 'f', \
    '' index 0 using 1:3 with lines lw 2 lc '#0072b2' title "f′", \
    '' index 0 using 1:4 with lines lw 2 lc '#d55e00' dt 2 title "f″", \
    '' index 0 using 1:5 with lines lw 2 lc '#009e73' dt 4 title "f‴"
set xlabel 'step'
set ylabel '|x + 1|'
set xrange [-0.3:7.3]
set yrange [1e-9:10]
set logscale y
set format y '10^{%L}'
set key bottom left
set title 'on the way to the minimum of f' offset 0, -1
plot data index 1 using 1:2 with linespoints lw 2 pt 6 lc '#0072b2' title 'x - 0.2 f′', \
    '' index 1 using 1:4 with lines lw 2 lc '#d55e00' title "x - f′ / f″: e^2/(1 + e)", \
    '' index 1 using 1:3 with points lw 2 pt 7 lc '#d55e00' title 'the same, run'
