#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws docs/pictures/compare-*.svg with the commands of docs/compare.md:
#     pictures_of_comparisons.sh GREBE      GREBE is the path of the command grebe
set -eu
docs=$(cd "$(dirname "$0")/.." && pwd)
cd "$docs/pictures"
sed -e :a -e '/\\$/N; s/ *\\\n */ /; ta' ../compare.md | sed -n 's/^    grebe \(.* --plot compare-.*\)/\1/p' |
    xargs -L 1 "$1" >/dev/null
