# SPDX-License-Identifier: GPL-3.0-or-later
# name, total variance, evaluations
set multiplot layout 1, 2
set boxwidth 0.6
set style fill solid 0.8
set xrange [-0.6:3.6]
set xtics ('flips' 0, 'disarm' 1, 'bitflip' 2, 'score' 3)
set yrange [0:*]
set xlabel 'estimator'
unset key
set ylabel 'variance, summed over three logits'
plot data using 0:2 with boxes lc '#0072b2'
set ylabel 'variance × evaluations'
plot data using 0:($2 * $3) with boxes lc '#d55e00'
