#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws docs/pictures/predictions.svg from what pictures_of_predictions prints:
#     pictures_of_predictions.sh PROGRAM
set -eu
docs=$(cd "$(dirname "$0")/.." && pwd)
numbers=$(mktemp)
trap 'rm -f "$numbers"' EXIT
"$1" >"$numbers"
gnuplot -d -e "data = '$numbers'" "$docs/lessons/style.gp" - >"$docs/pictures/predictions.svg" <<'END'
set xrange [-3:3]
set yrange [-3.2:3.2]
set key bottom left
set xlabel 'x'
set ylabel 'y'
plot data index 0 using 1:($2 - 2 * $4):($2 + 2 * $4) with filledcurves lc '#d6e4f0' \
         title 'mean ± 2 sd: with noise', \
     data index 0 using 1:($2 - 2 * $3):($2 + 2 * $3) with filledcurves lc '#8fb8d8' \
         title 'mean ± 2 epistemic', \
     data index 0 using 1:2 with lines lw 2 lc '#1f4e79' title 'mean', \
     data index 1 using 1:2 with points pt 7 ps 0.4 lc '#333333' title 'data'
END
