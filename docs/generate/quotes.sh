# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# To be sourced: compares the quotes of pages with programs, and their output.

# Each excerpt, ended by a line ```, must occur in the source word for word; indentation is ignored.
quotes() { # SOURCE PAGE
    awk '
        { line = $0; sub(/^[ \t]+/, "", line) }
        FNR == NR       { source = source "\n" line; next }
        line != "```"   { excerpt = excerpt "\n" line; next }
        !index(source "\n", excerpt "\n") { print "this is not in the source:" excerpt; wrong = 1 }
        { excerpt = "" }
        END { exit wrong }' "$1" "$2"
}

# Words must be equal, and numbers within a fifth.
resembles() {
    awk '
        function is_number(x) { return x ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/ }
        function end(x)       { return match(x, /[,;:]$/) ? substr(x, RSTART) : "" }
        function same(a, b)   {
            if (end(a) == end(b) && end(a)) { sub(/.$/, "", a); sub(/.$/, "", b) }
            return is_number(a) && is_number(b) ? (a - b) ^ 2 <= (a * 0.2) ^ 2 : a == b }
        FNR == NR { line[FNR] = $0; lines = FNR; next }
        { bad = split(line[FNR], was) != NF
          for (i = 1; i <= NF; i++) bad = bad || !same(was[i], $i)
          if (bad) { print "- " line[FNR] "\n+ " $0; wrong = 1 } }
        END { exit wrong || NR != 2 * lines }' "$1" "$2"
}
