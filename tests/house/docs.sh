#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that the documents show the truth: docs.sh SOURCE BUILD COMPILER PART PARTS. Of the documents it
# takes every PARTS-th, from number PART on.
#
#  - ```c with a main is built and runs; with GB_EXPORT_BUNDLE it is also built as a shared object, which has
#    the name in its first line ("/* mine.c: …"), for commands below. Other ```c is quoted, word for word,
#    from tests/docs/NAME.c, which is built and runs. So is `code` in the last column of a table that ends
#    with "the line";
#  - ``` and ```about (equal words, numbers within a fifth) are the output of the program before; after an
#    excerpt, or before any, of tests/docs/NAME.c; ```python and ```printed are for tests/python/test_docs.py;
#  - commands, as indented lines or as `code`, run (those of grebe) or exist (scripts, presets, targets,
#    lessons);
#  - names that begin with gb_ are in the headers, and links lead to a file;
#  - README.md has nothing else, and names all families, estimators, baselines, optimisers, schedules and
#    rooms; the figures of each row of its results are together in a table or paragraph of the linked page;
#  - all pictures together are small.
set -eu
source=$1
build=$2
compiler=$3
part=$4
parts=$5
scratch=$build/tests/docs/$part
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$source"
. docs/generate/quotes.sh
programs=0 outputs=0 commands=0 failures=0

fail() { # DOCUMENT WORDS
    printf '%s: %s\n' "$1" "$2" >&2
    failures=$((failures + 1))
}

build_and_run() { # DOCUMENT PROGRAM.c NAME
    if grep -q '<mpi.h>' "$2"; then
        build_and_run_mpi "$@"
    elif "$compiler" -std=c17 -Wall -Wextra -Werror -I"$build/include" "$2" -o "$scratch/$3" \
        -L"$build" -Wl,-rpath,"$build" -lgrebe-kit -lgrebe -lm &&
        "$scratch/$3" >"$scratch/$3.out" 2>"$scratch/$3.err"; then
        programs=$((programs + 1))
    else
        cat "$scratch/$3.err" >&2 || true
        fail "$1" "$(basename "$2") does not build, or fails"
    fi
}

# A program of MPI is one process without mpirun.
build_and_run_mpi() { # DOCUMENT PROGRAM.c NAME
    if ! [ -e "$build/libgrebe-mpi.so" ] || ! command -v mpicc >/dev/null; then
        echo "$1: MPI is not installed, so $(basename "$2") is not built"
        return
    fi
    if OMPI_CC=$compiler MPICH_CC=$compiler mpicc -std=c17 -Wall -Wextra -I"$build/include" "$2" \
        -o "$scratch/$3" -L"$build" -Wl,-rpath,"$build" -lgrebe-mpi -lgrebe -lm &&
        (cd "$scratch" && "./$3" >"$3.out" 2>"$3.err"); then
        programs=$((programs + 1))
    else
        fail "$1" "$(basename "$2") does not build, or fails"
    fi
}

build_bundle() { # DOCUMENT SOURCE.c
    bundle=$(sed -n '1s,^/\* \([a-z_]*\)\.c.*,\1,p' "$2")
    [ -n "$bundle" ] && "$compiler" -std=c17 -Wall -Wextra -Werror -shared -fPIC -I"$build/include" "$2" \
        -o "$scratch/$bundle.so" -L"$build" -lgrebe || fail "$1" "$(basename "$2") is no shared object"
}

# Splits a document into blocks: NAME-1.c, NAME-2.exact …; and NAME.excerpts, NAME.indented, NAME.code.
take_apart() { # DOCUMENT NAME
    awk -v to="$scratch/$2" '
        /^```/ && file { close(file); file = ""; next }
        /^```/         { kind = substr($0, 4)
                         kind = kind == "c" ? "c" : kind == "" ? "exact" : kind
                         file = sprintf("%s-%02d.%s", to, ++n, kind)
                         printf "" >file; next }
        file           { print >file; next }
        /^    / && (blank || indented) { sub(/^    /, ""); print >(to ".indented"); indented = 1; next }
                       { blank = $0 == ""; indented = 0 }
        /^\|.*\| the line \|$/ { table = 1; next }
        !/^\|/         { table = 0 }
        table && !/^\|[-|]*$/ { line = $0; sub(/ \|$/, "", line); sub(/.*[^\\]\| /, "", line)
                         while (match(line, /`[^`]*`/)) {
                             print substr(line, RSTART + 1, RLENGTH - 2) >(to ".lines")
                             line = substr(line, RSTART + RLENGTH) } }
                       { rest = $0
                         while (match(rest, /`[^`]*`/)) {
                             print substr(rest, RSTART + 1, RLENGTH - 2) >(to ".code")
                             rest = substr(rest, RSTART + RLENGTH) } }' "$1"
}

check_blocks() { # DOCUMENT NAME
    out=
    if [ -f "tests/docs/$2.c" ]; then
        build_and_run "$1" "tests/docs/$2.c" "$2"
        out=$scratch/$2.out
    fi
    : >"$scratch/$2.excerpts"
    for block in "$scratch/$2"-[0-9]*.*; do
        case $block in
        *.c)
            ! grep -q '^GB_EXPORT_BUNDLE' "$block" || build_bundle "$1" "$block"
            if grep -q 'int main(' "$block"; then
                build_and_run "$1" "$block" "$(basename "$block" .c)"
                out=${block%.c}.out
            else
                { cat "$block" && echo '```'; } >>"$scratch/$2.excerpts"
                out=$scratch/$2.out
            fi
            ;;
        *.exact | *.about)
            outputs=$((outputs + 1))
            if ! [ -f "$out" ]; then
                fail "$1" "no program makes the output of $(basename "$block"): write it to tests/docs/$2.c"
            elif ! case $block in
                *.exact) diff -u "$block" "$out" ;;
                *) resembles "$block" "$out" ;;
                esac >&2; then
                fail "$1" 'a program prints something else'
            fi
            ;;
        *.python | *.printed) ;; # tests/python/test_docs.py runs these
        *'*'*) ;; # there are none
        *) fail "$1" "a block of an unknown kind: $(basename "$block")" ;;
        esac
    done
    if [ -f "$scratch/$2.lines" ]; then
        tr -s ' \n' ' ' <"tests/docs/$2.c" >"$scratch/$2.words"
        while IFS= read -r line; do
            grep -qF -e "$line" "$scratch/$2.words" || fail "$1" "this line is not in tests/docs/$2.c: $line"
        done <"$scratch/$2.lines"
    fi
    if [ -s "$scratch/$2.excerpts" ]; then
        quotes "tests/docs/$2.c" "$scratch/$2.excerpts" >&2 || fail "$1" 'an excerpt is not in its program'
    fi
}

grebe_runs() { # DOCUMENT LINE
    eval "set -- \"\$1\" ${2#grebe}"
    document=$1
    shift
    case $# in
    0) return ;;
    1) set -- help "$1" ;; # the command is meant, not a call of it
    2) case $1:$2 in
        check:*/*) ;;
        check:*) set -- list "$2" ;; # tests of its own check all members of a kind
        esac ;;
    esac
    (cd "$scratch" && "$build/bin/grebe" "$@" >grebe.out 2>grebe.err) || {
        cat "$scratch/grebe.err" >&2
        fail "$document" "grebe $* fails"
    }
}

# Presets and targets that are named exist.
cmake_knows() { # DOCUMENT LINE
    preset=$(printf '%s' "$2" | sed -n 's/.*--preset \([a-z]*\).*/\1/p')
    target=$(printf '%s' "$2" | sed -n 's/.*--target \([a-z_]*\).*/\1/p')
    [ -z "$preset" ] || grep -q "\"name\": \"$preset\"" CMakePresets.json ||
        fail "$1" "there is no preset $preset"
    [ -z "$target" ] || [ "$preset" = fuzz ] || grep -q "^$target:" "$scratch/targets" ||
        fail "$1" "there is no target $target"
}

# Returns whether it is a command.
check_command() { # DOCUMENT LINE
    line=${2%%  *}
    case $line in
    'grebe '*) grebe_runs "$1" "$line" ;;
    cmake\ * | ctest\ *) echo "$line" | sed 's/ *&& */\n/g' >"$scratch/steps"
        while IFS= read -r step; do cmake_knows "$1" "$step"; done <"$scratch/steps" ;;
    ./*.so) ;; # a file of the reader
    ./* | bench/run* | cmake/*.sh*)
        script=${line%% *}
        [ -x "$script" ] || fail "$1" "there is no script $script"
        lesson=${line#./demo }
        [ "$lesson" = "$line" ] || [ -f "examples/$lesson.c" ] || fail "$1" "there is no lesson $lesson"
        ;;
    *) return 1 ;;
    esac
    commands=$((commands + 1))
}

check_commands() { # DOCUMENT NAME
    [ -f "$scratch/$2.indented" ] && sed -e :a -e '/\\$/N; s/ *\\\n */ /; ta' "$scratch/$2.indented" |
        grep -v '^ *$' >"$scratch/$2.commands"
    while IFS= read -r line; do
        check_command "$1" "$line" || [ "$1" != README.md ] ||
            fail "$1" "neither checked nor a command: $line"
    done <"$scratch/$2.commands"
    while IFS= read -r line; do
        check_command "$1" "$line" || true
    done <"$scratch/$2.code"
}

check_names() { # DOCUMENT
    grep -oh 'gb_[a-z0-9_]*[a-z0-9]' "$1" | sort -u | comm -23 - "$scratch/names" >"$scratch/unknown"
    while IFS= read -r name; do fail "$1" "no header has $name"; done <"$scratch/unknown"
    grep -o '](\(\.\./\)*[a-zA-Z0-9_./-]*' "$1" | sed 's/^](//' | while IFS= read -r path; do
        [ -e "$(dirname "$1")/$path" ] || echo "$path"
    done >"$scratch/unknown"
    while IFS= read -r path; do
        fail "$1" "a link leads to $path, which is not there"
    done <"$scratch/unknown"
}

# The table of swaps, and the table of rooms.
check_readme() {
    kinds='gb_(estimator|family|optimiser|baseline|schedule)'
    grep -hoE "^GB_API (extern const )?$kinds gb_[a-z_]+" estimators/*.h models/*.h |
        sed 's/.* //; s/_with$//' | grep -vE "^${kinds}_of\$" | sort -u >"$scratch/members"
    while IFS= read -r name; do
        grep -q "\`$name\`" README.md || fail README.md "it does not name $name"
    done <"$scratch/members"
    git ls-files | sed -n 's,/.*,,p' | grep -v '^\.' | sort -u >"$scratch/rooms"
    while IFS= read -r room; do
        grep -qF "| [$room/]($room/) |" README.md || fail README.md "its rooms lack $room/"
    done <"$scratch/rooms"
}

# Each row of the table of results: the figures of its second and third cell.
check_results() {
    sed -n '/^## Results/,/^## S/p' README.md | grep -o '^|.*](docs/[a-z-]*\.md) |$' >"$scratch/results"
    [ -s "$scratch/results" ] || fail README.md 'there is no table of results'
    while IFS= read -r row; do
        page=$(printf '%s' "$row" | sed 's/.*](//; s/).*//')
        figures=$(printf '%s' "$row" | cut -d'|' -f3,4 | grep -oE '[0-9]+(\.[0-9]+)?' | tr '\n' ' ')
        awk -v RS= -v figures="$figures" '
            { count = split(figures, figure, " "); found = 0
              for (i = 1; i <= count; i++) {
                  gsub(/\./, "[.]", figure[i])
                  found += $0 ~ "(^|[^0-9.])" figure[i] "([^0-9.]|[.][^0-9]|$)" }
              if (count > 0 && found == count) { all = 1; exit } }
            END { exit !all }' "$page" || fail README.md "$page does not have together: $figures"
    done <"$scratch/results"
}

check_pictures() {
    bytes=$(cat docs/pictures/*.svg docs/lessons/*.svg | wc -c)
    [ "$bytes" -le 600000 ] ||
        fail docs "the pictures have $bytes bytes, more than 600000: run docs/generate/compact_svg.py docs/*/"
}

# Macros make some names: those are in the library.
{
    grep -RhoE 'gb_[a-z0-9_]+' "$build/include/grebe/"
    nm -D "$build"/libgrebe*.so* | sed -n 's/.* \(gb_\)/\1/p'
} | sort -u >"$scratch/names"
cmake --build "$build" --target help >"$scratch/targets" 2>/dev/null
count=0
for document in README.md CONTRIBUTING.md docs/*.md docs/lessons/*.md; do
    count=$((count + 1))
    [ $((count % parts + 1)) -eq "$part" ] || continue
    name=$(basename "$document" .md)
    case $document in docs/lessons/README.md) name=lessons ;; esac
    : >"$scratch/$name.code" && : >"$scratch/$name.commands"
    take_apart "$document" "$name"
    case $document in docs/lessons/*) ;; *) check_blocks "$document" "$name" ;; esac
    check_commands "$document" "$name"
    check_names "$document"
done
if [ "$part" -eq 1 ]; then
    check_readme
    check_results
    check_pictures
fi
[ $failures -eq 0 ] || exit 1
echo "$programs programs, $outputs outputs and $commands commands of the documents are as they say"
