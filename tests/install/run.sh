#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs a finished build to a scratch place, moves it, and uses it from outside: with CMake and with pkg-config,
# from C and from C++, shared and static; and compiles each installed header alone.
#     run.sh CMAKE BUILD_DIRECTORY LIBDIR CC CXX
set -eu
cmake=$1 build=$2 libdir=$3 cc=$4 cxx=$5
here=$(cd "$(dirname "$0")" && pwd)
scratch=$build/outside
prefix=$scratch/moved

rm -rf "$scratch"
mkdir -p "$scratch"
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
mv "$scratch/prefix" "$prefix" # everything must be relocatable
warnings='-Wall -Wextra -Wpedantic -Wshadow -Werror'

say() { printf '%-28s' "$1"; }

# CMake
CC=$cc CXX=$cxx "$cmake" -G Ninja -S "$here" -B "$scratch/cmake" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
"$cmake" --build "$scratch/cmake" >/dev/null
for language in c cpp; do
    for kind in shared static; do
        say "CMake, $language, $kind:"
        "$scratch/cmake/${kind}_$language"
    done
done

# The command
say 'the command:'
"$prefix/bin/grebe" --version
"$prefix/bin/grebe" compare bernoulli-toy --estimators arm --draws 100 >/dev/null

# pkg-config
PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
LD_LIBRARY_PATH=$prefix/$libdir
export PKG_CONFIG_PATH LD_LIBRARY_PATH
flags=$(pkg-config --cflags grebe)
shared_libraries=$(pkg-config --libs grebe)
static_libraries=$(pkg-config --static --libs grebe | sed "s| *-lgrebe| $prefix/$libdir/libgrebe.a|")
# shellcheck disable=SC2086
for language in c cpp; do
    case $language in
    c) compile="$cc -std=c17" ;;
    *) compile="$cxx -std=c++17" ;;
    esac
    for kind in shared static; do
        case $kind in
        shared) libraries=$shared_libraries ;;
        *) libraries=$static_libraries ;;
        esac
        say "pkg-config, $language, $kind:"
        $compile $warnings $flags "$here/program.$language" $libraries -o "$scratch/${kind}_$language"
        "$scratch/${kind}_$language"
    done
done

# Every header stands alone, in both languages, and nothing private came along.
find "$prefix/include" -name '*.h' | sort >"$scratch/headers"
if grep -E '_(impl|table)\.h$' "$scratch/headers"; then
    echo 'private headers are installed' >&2
    exit 1
fi
while read -r header; do
    name=${header#"$prefix"/include/}
    printf '#include <%s>\n' "$name" >"$scratch/one.c"
    printf 'extern int gb_not_empty;\n' >>"$scratch/one.c"
    # shellcheck disable=SC2086
    $cc -std=c17 $warnings $flags -fsyntax-only "$scratch/one.c"
    # shellcheck disable=SC2086
    $cxx -x c++ -std=c++17 $warnings $flags -fsyntax-only "$scratch/one.c"
done <"$scratch/headers"
echo "$(wc -l <"$scratch/headers") headers stand alone in C and C++"

# The shared library shows what starts with gb_ and nothing else.
if nm -D --defined-only "$prefix/$libdir"/libgrebe.so 2>/dev/null | awk '{print $NF}' | grep -v '^gb_'; then
    echo 'the shared library shows names that are not gb_' >&2
    exit 1
fi
# And both libraries define no other global name: a static program must not collide with them.
if nm -g --defined-only "$prefix/$libdir"/libgrebe.a 2>/dev/null | awk 'NF == 3 {print $3}' | grep -v '^gb_'; then
    echo 'the static library defines names that are not gb_' >&2
    exit 1
fi
echo 'all names start with gb_'
