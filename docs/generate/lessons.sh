#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A lesson is a program, examples/NN_name.c, and its page, docs/lessons/NN-name.md:
#     lessons.sh check PROGRAM      runs it, and compares the quotes and the output on its page with it
#     lessons.sh make PROGRAM...    puts its output into its page, and draws its picture
# On a page, ```c begins an excerpt, whose indentation is ignored, and ``` the output. With ```about the words
# of the output must agree, and its numbers within a fifth: a long chain of roundings differs between
# processors. A program writes the data of its picture to the file that is its argument. gnuplot draws that
# file, `data`, by style.gp and NN-name.gp, and compact_svg.py (Python 3) makes the picture small.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
lessons=$root/docs/lessons
. "$root/docs/generate/quotes.sh"
todo=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Splits a page into its blocks: those of C, each ended by a line, and the output.
blocks() {
    awk -v excerpts="$scratch/excerpts" -v shown="$scratch/shown" '
        /^```/ && to   { if (to == excerpts) print "```" >to; to = ""; next }
        /^```c$/       { to = excerpts; next }
        /^```/         { to = shown; about = $0 ~ /about/; next }
        to             { print >to }
        END            { print about ? "about" : "exact" }' "$1"
}

check() { # PROGRAM SOURCE PAGE
    "$1" >"$scratch/printed" || { cat "$scratch/printed"; exit 1; }
    cat "$scratch/printed"
    [ -f "$3.md" ] || return 0
    touch "$scratch/excerpts" "$scratch/shown"
    compare=$(blocks "$3.md")
    quotes "$2" "$scratch/excerpts" || wrong=yes
    case $compare in
    about) resembles "$scratch/shown" "$scratch/printed" || wrong=yes ;;
    *) diff -u "$scratch/shown" "$scratch/printed" || wrong=yes ;;
    esac
    if [ -n "${wrong:-}" ]; then
        echo "$3.md does not match its program; to update its output:" \
            "cmake --build --preset release --target lessons" >&2
        exit 1
    fi
}

make() { # PROGRAM PAGE
    [ -f "$2.md" ] || return 0
    echo "$2"
    "$1" "$scratch/data" >"$scratch/printed"
    awk -v printed="$scratch/printed" '
        /^```/ && to == "" { print; to = $0 == "```c" ? "c" : "output"
                             if (to == "output") while ((getline line <printed) > 0) print line
                             next }
        /^```$/            { to = "" }
        to != "output"     { print }' "$2.md" >"$scratch/page"
    cp "$scratch/page" "$2.md"
    picture=$scratch/$(basename "$2").svg
    (cd "$lessons" && gnuplot -d -e "data = '$scratch/data'" style.gp "$2.gp") >"$picture"
    "$root/docs/generate/compact_svg.py" "$picture"
    cp "$picture" "$2.svg"
}

for program; do
    name=$(basename "$program")
    page=$lessons/$(echo "$name" | tr _ -)
    case $todo in
    check) check "$program" "$root/examples/$name.c" "$page" ;;
    make) make "$program" "$page" ;;
    *) echo 'lessons.sh check PROGRAM, or make PROGRAM...' >&2 && exit 2 ;;
    esac
done
