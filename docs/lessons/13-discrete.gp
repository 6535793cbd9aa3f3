# SPDX-License-Identifier: GPL-3.0-or-later
# Three trainings (step, theta): DisARM, relaxed, straight-through; then for each theta variance and closed
# form of all estimators, and theta
set terminal svg size 820,380 font 'sans-serif,12' background '#ffffff'
set multiplot layout 1, 2
set xlabel 'θ'
set ylabel 'variance of one estimate'
set logscale y
set format y '10^{%L}'
set xrange [0:1]
set yrange [1e-7:10]
plot data index 3 using 15:2 with lines lw 2 lc '#000000' title 'score', \
    '' index 3 using 15:4 with lines lw 2 dt 2 lc '#d55e00' title 'leave one out', \
    '' index 3 using 15:6 with lines lw 2 lc '#009e73' title 'ARM', \
    '' index 3 using 15:8 with lines lw 2 dt 4 lc '#0072b2' title 'DisARM', \
    '' index 3 using 15:1 with points pt 7 ps 0.5 lc '#000000' notitle, \
    '' index 3 using 15:3 with points pt 7 ps 0.5 lc '#d55e00' notitle, \
    '' index 3 using 15:5 with points pt 7 ps 0.5 lc '#009e73' notitle, \
    '' index 3 using 15:7 with points pt 7 ps 0.5 lc '#0072b2' title 'measured'
unset logscale
set format y '%g'
set xlabel 'step'
set ylabel 'θ'
set xrange [0:300]
set yrange [0:0.8]
plot data index 0 with lines lw 2 lc '#0072b2' title 'DisARM', \
    '' index 2 with lines lw 2 dt 4 lc '#e69f00' title 'straight-through', \
    '' index 1 with lines lw 2 dt 2 lc '#cc79a7' title 'relaxed'
