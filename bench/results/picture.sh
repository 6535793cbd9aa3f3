#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws docs/pictures/results-EXPERIMENT.svg of the records in a folder:
#     bench/results/picture.sh FOLDER DATA
# DATA is the CO2 series, ../shared/data/co2_gal.csv. It needs gnuplot.
set -eu
folder=$1 data=$2
docs=$(cd "$(dirname "$0")/../../docs" && pwd)
numbers=$(mktemp) script=$(mktemp)
trap 'rm -f "$numbers" "$script"' EXIT

# Writes columns of the runs whose first columns are these, joined by ", ", as a block of numbers in the order
# of the first. Of equal ones the latest counts: a run that was interrupted may have been done again.
block() { # EXPERIMENT KEYS KEY COLUMN...
    experiment=$1 keys=$2 key=$3
    shift 3
    awk -F '\t' -v keys="$keys" -v key="$key" -v columns="$*" '
        BEGIN { n = split(columns, c, " ") }
        { own = $1; for (i = 2; i <= keys; i++) own = own ", " $i }
        own == key { line = $c[1]; for (i = 2; i <= n; i++) line = line " " $c[i]; latest[$c[1]] = line }
        END { for (x in latest) print latest[x] }
    ' "$folder/$experiment.tsv" | LC_ALL=C sort -g
    printf '\n\n'
}

# Lists the keys of a record, in their order.
keys_of() { # EXPERIMENT KEYS
    awk -F '\t' -v keys="$2" '
        NR > 1 { own = $1; for (i = 2; i <= keys; i++) own = own ", " $i; if (!seen[own]++) print own }
    ' "$folder/$1.tsv"
}

# Draws what the script on the input says. Its numbers are `data`, and `names` the keys, one for each block.
draw() { # NAME
    cat >"$script"
    picture="$docs/pictures/results-$1.svg"
    gnuplot -d -e "data = '$numbers'; load '$docs/lessons/style.gp'" "$script" >"$picture"
    "$docs/generate/compact_svg.py" "$picture"
}

if [ -f "$folder/co2.tsv" ]; then
    for model in 'dropout, ReLU' 'dropout, tanh' 'Gaussian process'; do
        block co2 1 "$model" 2 3 4 5
    done >"$numbers"
    sed 1d "$data" | tr , ' ' >>"$numbers"
    draw co2 <<'END'
set terminal svg size 760,620 dynamic background '#ffffff'
set multiplot layout 3,1
set xrange [-2:4]
set yrange [-3:4]
set ytics 2
set key bottom right maxrows 2 samplen 1 width -9 font ',9'
set ylabel 'CO2, standardised' font ',10'
do for [i = 0:2] {
    if (i == 2) { set xlabel 'time, standardised' offset 0, 0.6 font ',10' }
    set title i == 0 ? 'dropout, ReLU' : i == 1 ? 'dropout, tanh' : 'Gaussian process'
    plot data index i using 1:($2 - 2 * $4):($2 + 2 * $4) with filledcurves lc '#d6e4f0' \
             title i ? '' : 'mean ± 2 sd: with noise', \
         data index i using 1:($2 - 2 * $3):($2 + 2 * $3) with filledcurves lc '#8fb8d8' \
             title i ? '' : 'mean ± 2 epistemic', \
         data index i using 1:2 with lines lw 1.5 lc '#1f4e79' title i ? '' : 'mean', \
         data index 3 using 1:2 with points pt 7 ps 0.15 lc '#333333' title i ? '' : 'data'
}
END
fi

if [ -f "$folder/noise.tsv" ]; then
    for noise in shared local; do
        block noise 1 "$noise" 2 3 4
    done >"$numbers"
    draw noise <<'END'
set terminal svg size 900,360 background '#ffffff'
set multiplot layout 1,2
set key bottom right
set yrange [-27:-8]
set ylabel 'ELBO of an image, nats'
do for [by = 0:1] {
    set xlabel by ? 'epoch' : 'seconds of the processor'
    plot data index 0 using (by ? $1 / 469 : $3):($2 / 60000) with lines lw 2 lc '#d55e00' title 'shared', \
         data index 1 using (by ? $1 / 469 : $3):($2 / 60000) with lines lw 2 lc '#0072b2' title 'local'
}
END
fi

if [ -f "$folder/mnist_curve.tsv" ]; then
    keys_of mnist_curve 3 | while read -r key; do
        block mnist_curve 3 "$key" 4 6
    done >"$numbers"
    names=$(keys_of mnist_curve 3 | tr '\n' ';')
    { printf "list = '%s'\n" "$names"; cat <<'END'
set terminal svg size 1040,380 background '#ffffff'
array name[20]
count = 0
while (strlen(list) > 0) {
    count = count + 1
    name[count] = list[1:strstrt(list, ';') - 1]
    list = list[strstrt(list, ';') + 1:*]
}
colours = '#0072b2 #d55e00 #009e73 #cc79a7'
set multiplot layout 1,3
set key bottom right
set xlabel 'step / 1000'
set ylabel 'log density of a held-out image'
do for [method in '"point" "dropout" "Bayes by Backprop"'] {
    set title method offset 0,-1
    set yrange [(method eq 'point' ? -0.3 : -0.16):(method eq 'point' ? -0.04 : -0.04)]
    before = 0
    first = 0
    do for [i = 1:count] {
        if (strstrt(name[i], method.', ') == 1) {
            if (first == 0) { first = i }
            last = i
        }
    }
    plot for [i = first:last] data index i - 1 using ($1 / 1000):2 with lines lw 2 \
        lc rgb word(colours, i - first + 1) title name[i][strlen(method) + 3:*]
}
END
    } | draw mnist
fi

for experiment in logistic belief; do
    [ -f "$folder/$experiment.tsv" ] || continue
    keys_of "$experiment" 1 | while read -r key; do
        if [ "$experiment" = logistic ]; then
            block logistic 1 "$key" 2 3 7
        else
            block belief 1 "$key" 2 4 5
        fi
    done >"$numbers"
    names=$(keys_of "$experiment" 1 | tr ' \n' '~ ')
    { printf "list = '%s'\nexperiment = '%s'\n" "$names" "$experiment"; cat <<'END'
set terminal svg size 1040,400 background '#ffffff' noenhanced
colours = '#000000 #0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #999999 #8c564b #9467bd #17becf'
tidy(s) = strstrt(s, '~') > 0 ? tidy(s[1:strstrt(s, '~') - 1].' '.s[strstrt(s, '~') + 1:*]) : s
set multiplot layout 1,2
set xlabel 'step'
set key bottom right
set ylabel experiment eq 'logistic' ? 'ELBO, nats' : 'ELBO of a test row, nats'
if (experiment eq 'logistic') { set yrange [-100:-66] } else { set yrange [-105:-50] }
plot for [i = 1:words(list)] data index i - 1 using 1:2 with lines lw 2 lc rgb word(colours, i) \
    title tidy(word(list, i))
set key off
set autoscale y
set logscale y
set ylabel 'variance of the gradient'.(experiment eq 'logistic' ? ' in a location' : ' in q')
plot for [i = 1:words(list)] data index i - 1 using 1:3 with lines lw 2 lc rgb word(colours, i) notitle
END
    } | draw "$experiment"
done

if [ -f "$folder/toys.tsv" ]; then
    for t in 0.45 0.499; do
        for name in score 'score, mean cost' DisARM REBAR 'REBAR, coupled' 'REBAR, η learned' \
            'REBAR, η, τ learned' RELAX; do
            awk -F '\t' -v t="$t" -v name="$name" '
                $1 == t && $3 == name { y = name == "RELAX" ? $5 : $4; print $2, (y > 0 ? y : "nan") }
            ' "$folder/toys.tsv" | LC_ALL=C sort -g
            printf '\n\n'
        done
    done >"$numbers"
    draw toys <<'END'
set terminal svg size 1240,400 background '#ffffff' noenhanced
array name[8] = ['score', 'score, mean cost', 'DisARM', 'REBAR', 'REBAR, coupled', 'REBAR, η learned', \
                 'REBAR, η, τ learned', 'RELAX, measured']
colours = '#000000 #999999 #009e73 #d55e00 #e69f00 #cc79a7 #56b4e9 #0072b2'
set multiplot layout 1,2
set xlabel 'φ'
set ylabel 'variance of the gradient'
set logscale y
set format y '1e%L'
do for [toy = 0:1] {
    set title toy == 0 ? 't = 0.45' : 't = 0.499'
    set key off
    if (toy == 0) { set key bottom center maxrows 4 width -6 }
    set yrange [1e-16:1]
    first = 8 * toy - 1
    plot for [i = 1:8] data index first + i using 1:2 with lines lw 2 lc rgb word(colours, i) title name[i]
}
END
fi

if [ -f "$folder/dreg.tsv" ]; then
    for name in pathwise 'STL as published' DReG; do
        block dreg 1 "$name" 2 3 6 7 8
    done >"$numbers"
    draw dreg <<'END'
set terminal svg size 900,360 background '#ffffff' noenhanced
array name[3] = ['pathwise', 'STL as published (biased)', 'DReG']
colours = '#d55e00 #999999 #0072b2'
set multiplot layout 1,2
set logscale xy
set xlabel 'particles K'
set ylabel 'variance of the gradient'
set key bottom left
set xrange [0.8:700]
set format y '1e%L'
plot for [i = 1:3] data index i - 1 using 1:2 with linespoints pt 7 ps 0.4 lw 2 lc rgb word(colours, i) \
    title name[i]
set key off
set ylabel 'signal-to-noise ratio'
set format y '%g'
plot 2 / sqrt(x) with lines dt 2 lc '#888888', 1.6 * sqrt(x) with lines dt 2 lc '#888888', \
     for [i = 1:3] data index i - 1 using 1:3:4:5 with yerrorlines pt 7 ps 0.4 lw 2 lc rgb word(colours, i)
END
fi

if [ -f "$folder/belief200.tsv" ]; then
    keys_of belief200 2 | while read -r key; do
        block belief200 2 "$key" 3 4
    done >"$numbers"
    names=$(keys_of belief200 2 | sed 's/:[a-z]*=/, /; s/:one_weight=1//; s/_/ /g' | tr '\n' ';')
    { printf "list = '%s'\n" "$names"; cat <<'END'
set terminal svg size 1240,420 background '#ffffff' noenhanced
array name[20]
count = 0
while (strlen(list) > 0) {
    count = count + 1
    name[count] = list[1:strstrt(list, ';') - 1]
    list = list[strstrt(list, ';') + 1:*]
}
colours = '#000000 #999999 #cc79a7 #e69f00 #009e73 #d55e00 #0072b2 #56b4e9 #8c564b #9467bd'
set multiplot layout 1,2
set logscale y
set format y '1e%L'
set xlabel 'step'
set ylabel 'variance of the gradient in the weights of q'
set key top right maxrows 5 width -3
set yrange [10:1e11]
set xtics 1000
do for [bound in '"ELBO" "IWAE, K = 10"'] {
    first = 0
    last = -1
    do for [i = 1:count] {
        if (strstrt(name[i], bound.', ') == 1) {
            if (first == 0) { first = i }
            last = i
        }
    }
    set title bound
    if (first > 0) { plot for [i = first:last] data index i - 1 using 1:2 with linespoints pt 7 ps 0.4 lw 2 \
        lc rgb word(colours, i - first + 1) title name[i][strlen(bound) + 3:*] }
}
END
    } | draw belief200
fi
