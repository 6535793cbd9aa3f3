#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the layout of all C files, or corrects it: format.sh [--fix] [FILE...]. Tables (x_table.h) are laid
# out by hand. Only clang-format 14 is used, since other versions differ in details.
set -eu
cd "$(dirname "$0")/.."

tool=${CLANG_FORMAT:-clang-format-14}
command -v "$tool" >/dev/null || tool=clang-format
if ! "$tool" --version 2>/dev/null | grep -q 'version 14\.'; then
    echo 'format: left out: no clang-format 14 here' >&2
    exit 0
fi
mode='--dry-run --Werror'
if [ "${1:-}" = --fix ]; then
    mode=-i
    shift
fi
[ $# -gt 0 ] || set -- core data ops plugins distributions estimators models ready fitting prediction \
    compare kit cli examples tests bench docs grebe.h
# shellcheck disable=SC2086
find "$@" \( -name '*.[ch]' -o -name '*.cpp' \) ! -name '*_table.h' -print0 2>/dev/null |
    xargs -0 -r "$tool" $mode
