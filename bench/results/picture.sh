#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws docs/pictures/results-co2.svg from the record of the experiment co2 and the data:
#     bench/results/picture.sh RECORD DATA
# It needs gnuplot.
set -eu
docs=$(cd "$(dirname "$0")/../../docs" && pwd)
numbers=$(mktemp) script=$(mktemp)
trap 'rm -f "$numbers" "$script"' EXIT
for model in 'dropout, ReLU' 'dropout, tanh' 'Gaussian process'; do
    awk -F '\t' -v model="$model" '$1 == model { print $2, $3, $4, $5 }' "$1"
    printf '\n\n'
done >"$numbers"
sed 1d "$2" | tr , ' ' >>"$numbers"
cat >"$script" <<'END'
set terminal svg size 760,620 dynamic background '#ffffff'
set multiplot layout 3,1
set xrange [-2:4]
set yrange [-3:4]
set ytics 2
set key bottom right maxrows 2
do for [i = 0:2] {
    set title i == 0 ? 'dropout, ReLU' : i == 1 ? 'dropout, tanh' : 'Gaussian process'
    plot data index i using 1:($2 - 2 * $4):($2 + 2 * $4) with filledcurves lc '#d6e4f0' \
             title i != 1 ? '' : 'mean ± 2 sd: with noise', \
         data index i using 1:($2 - 2 * $3):($2 + 2 * $3) with filledcurves lc '#8fb8d8' \
             title i != 1 ? '' : 'mean ± 2 epistemic', \
         data index i using 1:2 with lines lw 1.5 lc '#1f4e79' title i != 1 ? '' : 'mean', \
         data index 3 using 1:2 with points pt 7 ps 0.15 lc '#333333' title i != 1 ? '' : 'data'
}
END
picture="$docs/pictures/results-co2.svg"
gnuplot -d -e "data = '$numbers'" "$docs/lessons/style.gp" "$script" >"$picture"
"$docs/generate/compact_svg.py" "$picture"
