#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds and runs every C program that the documents show: docs.sh SOURCE BUILD COMPILER
set -eu
source=$1
build=$2
compiler=$3
scratch=$build/tests/docs
rm -rf "$scratch"
mkdir -p "$scratch"

count=0
for document in "$source"/README.md "$source"/docs/*.md; do
    name=$(basename "$document" .md)
    awk -v out="$scratch/$name" '
        /^```c$/  { inside = 1; file = out "-" ++n ".c"; next }
        /^```$/   { inside = 0 }
        inside    { print > file }' "$document"
    for program in "$scratch/$name"-*.c; do
        grep -q 'int main(' "$program" 2>/dev/null || continue
        "$compiler" -std=c17 -Wall -Wextra -Werror -I"$build/include" "$program" -L"$build" -Wl,-rpath,"$build" \
            -lgrebe -lm -o "${program%.c}"
        "${program%.c}" >"${program%.c}.out" || { echo "$document: $(basename "$program") fails" >&2; exit 1; }
        count=$((count + 1))
    done
done
[ "$count" -gt 0 ] || { echo 'no programs found in the documents' >&2; exit 1; }
echo "$count programs from the documents build and run"
