# SPDX-License-Identifier: GPL-3.0-or-later
# A drawing; then for pathwise, score and naive, each in a block: draws, and the mean of their gradients in mu
set terminal svg size 960,360 font 'sans-serif,12' background '#ffffff'
set multiplot
set origin 0, 0
set size 0.46, 1
set lmargin 0
set rmargin 0
unset border
unset tics
unset key
set xrange [0:10]
set yrange [0:10]
set object 1 rectangle center 1.3, 7 size 2.2, 1.6 fc rgb '#eeeeee'
set object 2 rectangle center 5, 7 size 2.6, 1.6 fc rgb '#bfdcec'
set object 3 rectangle center 8.7, 7 size 2.2, 1.6 fc rgb '#f5d5b8'
set object 4 circle center 4.2, 3.5 size 0.55 fc rgb '#ffffff'
set object 5 circle center 5.8, 3.5 size 0.55 fc rgb '#ffffff'
set label 1 'ε ∼ N(0, 1)' at 1.3, 7 center front
set label 2 'w = μ + σ ε' at 5, 7 center front
set label 3 'f(w)' at 8.7, 7 center front
set label 4 'μ' at 4.2, 3.5 center front
set label 5 'σ' at 5.8, 3.5 center front
set label 6 'noise' at 1.3, 8.5 center tc rgb '#666666'
set label 7 'weight' at 5, 8.5 center tc rgb '#666666'
set label 8 'loss' at 8.7, 8.5 center tc rgb '#666666'
set arrow 1 from 2.4, 7.2 to 3.7, 7.2 lw 2 lc '#444444'
set arrow 2 from 6.3, 7.2 to 7.6, 7.2 lw 2 lc '#444444'
set arrow 3 from 4.1, 4.3 to 4.4, 6.2 lw 2 lc '#444444'
set arrow 4 from 5.9, 4.3 to 5.6, 6.2 lw 2 lc '#444444'
set arrow 5 from 7.6, 6.7 to 6.6, 6.7 nohead lw 2 dt 2 lc '#d55e00'
set arrow 8 from 6.6, 6.7 to 6.3, 6.7 head filled size 0.3,25,90 fixed lw 1 dt 1 lc '#d55e00'
set arrow 6 from 4.7, 6.2 to 4.45, 4.6 nohead lw 2 dt 2 lc '#d55e00'
set arrow 9 from 4.45, 4.6 to 4.4, 4.3 head filled size 0.3,25,90 fixed lw 1 dt 1 lc '#d55e00'
set arrow 7 from 5.3, 6.2 to 5.55, 4.6 nohead lw 2 dt 2 lc '#d55e00'
set arrow 10 from 5.55, 4.6 to 5.6, 4.3 head filled size 0.3,25,90 fixed lw 1 dt 1 lc '#d55e00'
set label 9 "f′(w)" at 7, 5.9 center tc rgb '#d55e00'
set label 10 "f′(w) · 1" at 3.2, 5 center tc rgb '#d55e00'
set label 11 "f′(w) · ε" at 6.8, 5 center tc rgb '#d55e00'
set label 12 'value: solid    gradient: dashed' at 5, 1.8 center tc rgb '#666666'
plot NaN notitle
unset object
unset label
unset arrow
set origin 0.46, 0
set size 0.54, 1
set lmargin at screen 0.54
set rmargin at screen 0.98
set border 3 lc '#888888'
set xtics nomirror out autofreq
set ytics nomirror out autofreq
set logscale x
set format x '10^{%L}'
set xlabel 'draws'
set ylabel 'mean gradient in μ'
set xrange [10:1e5]
set yrange [-5:3]
set key bottom right Left reverse samplen 2
plot -2 with lines lw 1.5 dt 2 lc '#000000' title 'the gradient: -2', \
    data index 1 with lines lw 2 lc '#d55e00' title 'score', \
    '' index 0 with lines lw 2 lc '#0072b2' title 'pathwise', \
    '' index 2 with lines lw 2 dt 4 lc '#009e73' title 'naive'
