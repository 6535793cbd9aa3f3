# SPDX-License-Identifier: GPL-3.0-or-later
# step, ELBO, log Z; the same as bars at five steps
set terminal svg size 820,380 font 'sans-serif,12' background '#ffffff'
set multiplot layout 1, 2
set xlabel 'step'
set ylabel 'nats'
set logscale x
set xrange [1:2000]
set yrange [-25:-6]
set key bottom right
plot data using 1:2:3 with filledcurves fc '#bfdcec' title 'KL(q ‖ posterior)', \
    '' using 1:2 with lines lw 2 lc '#0072b2' title 'ELBO', \
    '' using 1:3 with lines lw 2 dt 2 lc '#000000' title 'log Z'
unset logscale
bar(step) = step == 2 ? 0 : step == 8 ? 1 : step == 32 ? 2 : step == 128 ? 3 : step == 2000 ? 4 : NaN
set xrange [-0.6:4.6]
set xtics ('2' 0, '8' 1, '32' 2, '128' 3, '2000' 4)
set style fill solid border lc '#444444'
set key top left
set yrange [-25:-3]
plot data using (bar($1)):2:(bar($1) - 0.35):(bar($1) + 0.35):(-25):2 with boxxyerror fc '#0072b2' \
        title 'ELBO', \
    '' using (bar($1)):3:(bar($1) - 0.35):(bar($1) + 0.35):2:3 with boxxyerror fc '#bfdcec' \
        title '+ KL(q ‖ posterior)', \
    '' using (bar($1)):3:(0.5) with xerrorbars pt 0 lw 2 lc '#000000' title '= log Z'
