#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Holds docs/distributions.md to what the library says now: compare.sh TABLE_OF_DISTRIBUTIONS
set -eu
docs=$(dirname "$0")/..
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$1" "$docs/pictures" >"$made"
if ! diff -u "$docs/distributions.md" "$made"; then
    echo 'docs/distributions.md is out of date; please run: cmake --build --preset release --target tables' >&2
    exit 1
fi
echo 'docs/distributions.md is up to date'
