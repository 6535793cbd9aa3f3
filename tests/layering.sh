#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Holds the order of the rooms: layering.sh [root of the tree]
#
#  - a lower room never includes a higher one: core < ops < distributions < estimators < models < cli;
#  - public headers include each other relative to themselves ("shape.h", "../core/tape.h"), which works in the
#    tree and installed alike, and never a private header (x_impl.h, x_table.h);
#  - an operation (a gb_op) is defined in core/ or ops/, where it is listed, tested and printed with all others; the
#    estimators' marks, whose value is their argument, are the exception;
#  - examples include only <grebe/...> and the standard library.
set -eu
cd "${1:-$(dirname "$0")/..}"

# shellcheck disable=SC2016
{
    for room in core ops distributions estimators models cli examples; do
        if [ -d "$room" ]; then find "$room" -name '*.[ch]'; fi
    done
    if [ -f grebe.h ]; then echo grebe.h; fi
} | sort | xargs awk '
function complain(text) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, text, $0
    bad = 1
}
function exists(path,   line, found) {
    found = (getline line < path) >= 0
    close(path)
    return found
}
function tidy(path) { # a/b/../c -> a/c
    while (match(path, /[^\/.]+\/\.\.\//))
        path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    return path
}
BEGIN {
    split("core ops distributions estimators models cli", rooms, " ")
    for (i in rooms)
        rank[rooms[i]] = i
    rank["grebe.h"] = rank["models"]
    n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign " \
        "stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar " \
        "wctype", names, " ")
    for (i = 1; i <= n; i++)
        standard["<" names[i] ".h>"] = 1
}
FNR == 1 {
    files++
    split(FILENAME, part, "/")
    room = part[1]
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    private = FILENAME !~ /\.h$/ || FILENAME ~ /_(impl|table)\.h$/ || room == "cli"
}
room ~ /^(distributions|models|cli)$/ && /(^|[^A-Za-z0-9_])gb_op[ \t]+[A-Za-z0-9_#]+[ \t]*(=|\[|;|$)/ {
    complain("an operation is defined outside ops/")
}
match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*[>"]/) {
    name = substr($0, RSTART, RLENGTH)
    sub(/^[^<"]*/, "", name)
    quoted = name ~ /^"/
    path = substr(name, 2, length(name) - 2)
    if (room == "examples") {
        if (name !~ /^<grebe\// && !(name in standard))
            complain("an example includes only <grebe/...> and the standard library")
        else if (path ~ /_(impl|table)\.h$/)
            complain("an example includes a private header")
        next
    }
    if (path ~ /^grebe\//)
        complain("inside the library write \"room/name.h\"")
    if (!quoted)
        next
    beside = tidy(folder path)
    target = exists(beside) ? beside : tidy(path)
    if (target != beside && !exists(target)) {
        complain("no such file")
        next
    }
    if (!private && target != beside)
        complain("a public header includes relative to itself")
    if (!private && target ~ /_(impl|table)\.h$/)
        complain("a public header includes a private one")
    split(target, to, "/")
    if (!(to[1] in rank))
        complain("outside the rooms")
    else if (rank[to[1]] > rank[room])
        complain(room " includes the higher room " to[1])
}
END {
    if (!bad)
        printf "%d files keep the order\n", files
    exit bad
}'
