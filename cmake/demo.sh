#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What ./demo shows once grebe is built: demo.sh COMMAND FOLDER compares estimators, fits the curve of
# Blundell et al. (2015), and makes one page of it, FOLDER/demo.html, that needs no other file.
set -euo pipefail
export LC_ALL=C.UTF-8

command=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
compare=(compare gauss-square --samples 2 --estimators 'pathwise,score,score:baseline=loo,measure,quadrature')
fit=(fit 'network:activation=relu:sharing=local:sigma=0.05' --data curve --target y --hidden '50,50'
    --epochs 4000)

# run NAME COMMAND...: the table on the terminal and in NAME.txt, the picture in NAME.svg
run() {
    local name=$1
    shift
    printf '\n$ grebe %s\n' "$*"
    "$command" "$@" --plot "$folder/$name.svg" | tee "$folder/$name.txt"
}

# The text of a file, as HTML shows it.
escaped() {
    sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$@"
}

# section NAME TITLE WORDS COMMAND...
section() {
    local name=$1
    printf '<section><h2>%s</h2>\n<p>%s</p>\n<pre class="command">grebe %s</pre>\n' "$2" "$3" \
        "$(printf '%s' "${*:4}" | escaped)"
    [ ! -s "$folder/$name.svg" ] || sed '/<?xml/d; /<!DOCTYPE/d; /"http.*dtd">/d' "$folder/$name.svg"
    printf '<pre>%s</pre></section>\n' "$(escaped "$folder/$name.txt")"
}

rm -f "$folder/compare.svg" "$folder/fit.svg"
run compare "${compare[@]}"
run fit "${fit[@]}"
{
    cat <<'HEAD'
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>grebe: a demonstration</title>
<style>
body { font: 16px/1.5 sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { font-size: 12px; line-height: 1.35; overflow-x: auto; background: #f6f6f6; padding: .7rem }
pre.command { background: #e8f1f8 }
svg { max-width: 100%; height: auto }
</style></head><body>
<h1>grebe: gradient estimators for the Bayesian evidence</h1>
HEAD
    section compare 'Which estimator of a gradient, and at what variance?' \
        'Estimates of the gradient of E (x − k)², x normal: the same mean, other variances.' "${compare[@]}"
    section fit 'What does a network know where it has no data?' \
        'Bayes by Backprop on 100 points of the curve of Blundell et al. (2015). The darker band is what the
data have left open (epistemic); the lighter one has the noise besides, and is where new data would lie. The
last picture says how many weights of each layer q knows: their mean is large beside its deviation.' \
        "${fit[@]}"
    printf '</body></html>\n'
} >"$folder/demo.html"
printf '\nThe page: %s\n' "$folder/demo.html"
