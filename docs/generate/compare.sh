#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares a page of docs/ with the library: compare.sh PROGRAM PAGE TARGET, where PROGRAM prints docs/PAGE.md
# and TARGET makes it.
set -eu
docs=$(dirname "$0")/..
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$1" "$docs/pictures" >"$made"
if ! diff -u "$docs/$2.md" "$made"; then
    echo "docs/$2.md is out of date; please run: cmake --build --preset release --target $3" >&2
    exit 1
fi
echo "docs/$2.md is up to date"
