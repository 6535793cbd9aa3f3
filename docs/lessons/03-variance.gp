# SPDX-License-Identifier: GPL-3.0-or-later
# for either cost k, then variance and closed form of pathwise, and of score; then b, its variance, and the
# coefficients of the parabola that it lies on
set terminal svg size 1040,380 font 'sans-serif,12' background '#ffffff'
set multiplot layout 1, 3
set xlabel 'k'
set ylabel 'variance of the gradient in μ'
set logscale xy
set xrange [0.22:9]
set xtics (0.25, 0.5, 1, 2, 4, 8)
do for [cost = 0:1] {
    set yrange [(cost ? 0.03 : 0.002):(cost ? 2 : 60)]
    set title (cost ? 'exp(-k x²)' : 'cos k x') offset 0, -1
    plot data index cost using 1:3 with lines lw 2 lc '#0072b2' title 'pathwise', \
        '' index cost using 1:2 with points pt 7 ps 0.5 lc '#0072b2' notitle, \
        '' index cost using 1:5 with lines lw 2 dt 2 lc '#d55e00' title 'score', \
        '' index cost using 1:4 with points pt 7 ps 0.5 lc '#d55e00' notitle
}
unset logscale
set xrange [*:*]
set yrange [*:*]
stats data index 2 using 3 name 'A' nooutput
stats data index 2 using 4 name 'B' nooutput
stats data index 2 using 5 name 'C' nooutput
set xlabel 'baseline b'
set ylabel 'variance of the gradient in σ'
set xrange [-0.05:0.5]
set yrange [0:0.35]
set xtics 0.1
set title 'exp(-x²), score with a baseline' offset 0, -1
set label 'none' at 0, 0.20
set label 'E f' at 0.41, 0.24 right
set label 'best' at 0.18, 0.09 center
plot A_mean + B_mean * x + C_mean * x**2 with lines lw 2 lc '#d55e00' notitle, \
    data index 2 using 1:2 with points pt 7 ps 0.8 lc '#000000' notitle
