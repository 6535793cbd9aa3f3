# SPDX-License-Identifier: GPL-3.0-or-later
# for each posterior: the weights of its draws; then for two of them the traces of four chains from starts
# within 20
set table $mean # sorted, with ranks; the first has equal weights
plot data index 1 using (-$1):(1) smooth cumulative
set table $skewed
plot data index 2 using (-$1):(1) smooth cumulative
unset table
set terminal svg size 1000,380 font 'sans-serif,12' background '#ffffff'
set multiplot layout 1, 3
set title 'weights of draws of q' offset 0, -1
set xlabel 'draw, the largest first'
set ylabel 'weight'
set logscale xy
set yrange [0.05:3000]
set format y '%g'
plot data index 0 using ($0 + 1):1 with lines lw 2 lc '#009e73' title 'correlated, full rank', \
    $mean using 2:(-$1) with lines lw 2 lc '#d55e00' title 'correlated, mean field', \
    $skewed using 2:(-$1) with lines lw 2 lc '#0072b2' title 'skewed'
unset logscale
unset key
set xlabel 'draw of a chain'
set ylabel 'value'
set xrange [0:300]
set yrange [-5:18]
do for [k = 3:4] {
    set title (k == 3 ? 'NUTS: modes 3 apart' : 'NUTS: modes 12 apart') offset 0, -1
    plot for [c = 0:3] data index 5 + k every :::c::c with lines lw 1 \
        lc rgb word('#009e73 #d55e00 #0072b2 #999999', c + 1)
}
