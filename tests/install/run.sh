#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs a finished build to a scratch directory, moves it, and uses it from outside: with CMake and
# pkg-config, from C and C++, shared and static, library, kits and plug-ins. It also compiles each installed
# header alone, and checks the names that the libraries export and need.
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

say() { printf '%-34s' "$1"; }
fail() {
    echo "$*" >&2
    exit 1
}

# CMake
CC=$cc CXX=$cxx "$cmake" -G Ninja -S "$here" -B "$scratch/cmake" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
"$cmake" --build "$scratch/cmake" >/dev/null
for program in program kit; do
    for language in c cpp; do
        for kind in shared static; do
            say "CMake, $program.$language, $kind:"
            "$scratch/cmake/${program}_${kind}_$language"
        done
    done
done

# Components are targets. Only the kits' static library needs GSL's files.
mkdir "$scratch/components"
cat >"$scratch/components/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(components LANGUAGES C)
foreach(wanted kit kit_static)
  set(CMAKE_DISABLE_FIND_PACKAGE_GSL ON)
  find_package(grebe QUIET COMPONENTS ${wanted})
  message(STATUS "without GSL ${wanted}: ${grebe_FOUND}")
endforeach()
unset(CMAKE_DISABLE_FIND_PACKAGE_GSL)
find_package(grebe QUIET COMPONENTS nothing)
message(STATUS "nothing: ${grebe_FOUND}")
find_package(grebe QUIET COMPONENTS kit grebe kit_static)
message(STATUS "all: ${grebe_FOUND}")
END
CC=$cc "$cmake" -S "$scratch/components" -B "$scratch/components/build" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$scratch/components/found"
finds() { grep -qE "^-- $1: (1|TRUE)\$" "$scratch/components/found"; }
finds all || fail 'find_package(grebe COMPONENTS kit grebe kit_static) fails'
finds 'without GSL kit' || fail 'find_package(grebe COMPONENTS kit) needs GSL'
! finds 'without GSL kit_static' || fail 'there is a kit_static without GSL'
! finds nothing || fail 'find_package(grebe COMPONENTS nothing) finds it'
echo 'kit, grebe, kit_static'

# Absolute paths of an installation that cannot be moved: of libraries, of headers, of both; also staged.
# CMake takes no folder of headers in the sources, so this one is outside the build.
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
shown() { sed "s|$scratch|…|g; s|$elsewhere|/elsewhere|g"; }
pc_says() { # LIBDIR INCLUDEDIR EXPECTED_INCLUDE EXPECTED_LIB
    say "pkg-config, $(echo "$1, $2" | shown):"
    CC=$cc "$cmake" -G Ninja -S "$here/../.." -B "$scratch/absolute" \
        -DCMAKE_INSTALL_LIBDIR="$1" -DCMAKE_INSTALL_INCLUDEDIR="$2" \
        -DGB_KIT=OFF -DGB_MPI=OFF -DGB_TESTS=OFF -DGB_BENCH=OFF -DGB_EXAMPLES=OFF >/dev/null
    rm -rf "$scratch/root" "$elsewhere" "$scratch/stage"
    "$cmake" --install "$scratch/absolute" --component pkgconfig --prefix "$scratch/root" >/dev/null
    flags=$(PKG_CONFIG_PATH=$4/pkgconfig pkg-config --cflags --libs grebe | sed 's|lib/pkgconfig/../../||g')
    [ "${flags% }" = "-I$3 -L$4 -lgrebe" ] || fail "grebe.pc says $flags"
    echo "$flags" | shown
    # In the stage it speaks of the place where it will be.
    DESTDIR=$scratch/stage "$cmake" --install "$scratch/absolute" --component pkgconfig \
        --prefix "$scratch/root" >/dev/null
    cmp "$scratch/stage$4/pkgconfig/grebe.pc" "$4/pkgconfig/grebe.pc" || fail 'a staged grebe.pc differs'
}
pc_says "$elsewhere/lib" include "$scratch/root/include" "$elsewhere/lib"
pc_says lib "$elsewhere/include" "$elsewhere/include" "$scratch/root/lib"
pc_says "$elsewhere/lib" "$elsewhere/include" "$elsewhere/include" "$elsewhere/lib"

# The command, its pages and completions
say 'the command:'
"$prefix/bin/grebe" --version
for file in man/man1/grebe.1 man/man1/grebe-compare.1 bash-completion/completions/grebe \
    zsh/site-functions/_grebe; do
    [ -s "$prefix/share/$file" ] || fail "share/$file is not installed"
done
"$prefix/bin/grebe" compare bernoulli-toy --estimators arm --draws 100 >/dev/null

# pkg-config. Shared programs run by LD_LIBRARY_PATH or an rpath alone: the kit finds the library beside
# itself.
lib=$prefix/$libdir
export PKG_CONFIG_PATH="$lib/pkgconfig"
flags=$(pkg-config --cflags grebe-kit)
for program in program kit; do
    case $program in
    program) package=grebe ;;
    *) package=grebe-kit ;;
    esac
    shared_libraries="$(pkg-config --libs $package) -Wl,-rpath,$lib"
    static_libraries=$(pkg-config --static --libs $package |
        sed "s| *-lgrebe-kit| $lib/libgrebe-kit.a|; s| *-lgrebe\\>| $lib/libgrebe.a|")
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
            say "pkg-config, $program.$language, $kind:"
            # shellcheck disable=SC2086
            $compile $warnings $flags "$here/$program.$language" $libraries -o "$scratch/$program"
            "$scratch/$program"
        done
    done
done

# Plug-ins for the command: it finds the library from its own place, and they use the same one.
for language in c cpp; do
    case $language in
    c) compile="$cc -std=c17" ;;
    *) compile="$cxx -x c++ -std=c++17" ;;
    esac
    say "plug-ins for the command, $language:"
    # shellcheck disable=SC2046,SC2086
    $compile $warnings -shared -fPIC "$here/plugin.c" -o "$scratch/plugin_$language.so" \
        $(pkg-config --cflags --libs grebe)
    "$prefix/bin/grebe" compare "$scratch/plugin_$language.so" --estimators pathwise --draws 100 | head -1
done
# shellcheck disable=SC2046
$cc -std=c17 "$here/program.c" $(pkg-config --cflags --libs grebe) -o "$scratch/by_path"
LD_LIBRARY_PATH=$lib "$scratch/by_path" >/dev/null

# Every header compiles alone, in both languages, and no private header is installed.
find "$prefix/include" -name '*.h' | sort >"$scratch/headers"
if grep -E '_(impl|table)\.h$' "$scratch/headers"; then
    echo 'private headers are installed' >&2
    exit 1
fi
mpi=
if [ -e "$lib/libgrebe-mpi.so" ]; then
    mpi=$( (mpicc -showme:compile 2>/dev/null || mpicc -compile_info) | tr ' ' '\n' |
        sed -n 's/^-I/-isystem /p' | tr '\n' ' ')
fi
mkdir "$scratch/alone"
while read -r header; do
    name=${header#"$prefix"/include/}
    printf '#include <%s>\nextern int gb_not_empty;\n' "$name" \
        >"$scratch/alone/$(echo "$name" | tr / -).c"
done <"$scratch/headers"
# One call compiles them one by one, each alone.
# shellcheck disable=SC2086
$cc -std=c17 $warnings $flags $mpi -fsyntax-only "$scratch"/alone/*.c
# shellcheck disable=SC2086
$cxx -x c++ -std=c++17 $warnings $flags $mpi -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX \
    -fsyntax-only "$scratch"/alone/*.c
echo "$(wc -l <"$scratch/headers") headers stand alone in C and C++"


# The documents that headers name are installed, and every link of the documents leads to a file.
docs=$prefix/share/doc/grebe
# shellcheck disable=SC2046
grep -hoE 'docs/[a-z0-9/.-]+\.md' $(cat "$scratch/headers") | sed 's/^docs.//' | sort -u >"$scratch/pages"
[ -s "$scratch/pages" ] || fail 'no header names a document'
echo README.md >>"$scratch/pages"
(cd "$docs" && grep -oE '\]\([^):#]+' -- *.md lessons/*.md) | sed -E 's|^([^:]*):\]\(|\1 |' |
    while read -r page link; do
        echo "$(dirname "$page")/$link"
    done >>"$scratch/pages"
while read -r page; do
    [ -e "$docs/$page" ] || fail "$page is named in the documents, and not installed"
done <"$scratch/pages"
grep -q 'include/grebe/data/table.h' "$docs/data.md" || fail 'data.md has no link to its header'
echo "$(sort -u "$scratch/pages" | wc -l) files that documents name are there"

# Headers name no file that is only in the sources, unless they say so; what a user compiles is the user's.
named='(tests|examples|bench)/[a-z]|[a-z_]+\.(py|c|txt)\b'
# shellcheck disable=SC2046
if grep -nE "$named" $(cat "$scratch/headers") | grep -vE 'sources| cc -std='; then
    fail 'headers name files that are not installed'
fi

# The shared libraries export only names that start with gb_, and the static ones define no other global name:
# they must not collide with names of a static program.
for library in libgrebe libgrebe-kit; do
    nm -D --defined-only "$lib/$library.so" 2>/dev/null | awk '{print $NF}' | sort >"$scratch/$library.shown"
    nm -D --undefined-only "$lib/$library.so" 2>/dev/null | awk '{print $NF}' | sort >"$scratch/$library.used"
    nm -g --defined-only "$lib/$library.a" 2>/dev/null | awk 'NF == 3 {print $3}' |
        sort >"$scratch/$library.defined"
    ! grep -v '^gb_' "$scratch/$library.shown" || fail "$library.so shows names that are not gb_"
    ! grep -v '^gb_' "$scratch/$library.defined" || fail "$library.a defines names that are not gb_"
done
echo 'all names start with gb_'

# The library contains nothing of the kit, and the kit uses only what the library exports.
if comm -12 "$scratch/libgrebe.defined" "$scratch/libgrebe-kit.defined" | grep .; then
    fail 'both libraries define these'
fi
if grep -E '^gb_(report|kit)_|^gb_check_.*_with$' "$scratch/libgrebe.defined"; then
    fail 'libgrebe has a part of the kit'
fi
if grep '^gb_' "$scratch/libgrebe-kit.used" | comm -23 - "$scratch/libgrebe.shown" | grep .; then
    fail 'libgrebe-kit.so uses these, which libgrebe.so does not show'
fi

# Only the kit needs GSL.
needs() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(lib[a-z-]*\)\..*/\1/p' | grep -v '^libgcc' | sort |
        tr '\n' ' '
}
if command -v readelf >/dev/null; then
    [ "$(needs "$lib/libgrebe-kit.so")" = 'libc libgrebe libgsl libm ' ] ||
        fail "libgrebe-kit.so needs $(needs "$lib/libgrebe-kit.so")"
    case " $(needs "$lib/libgrebe.so")" in
    *' libgsl '*) fail "libgrebe.so needs GSL" ;;
    esac

    # Before 1.0 the soname has the minor version.
    version=$(pkg-config --modversion grebe)
    case $version in
    0.*) interface=${version%.*} ;;
    *) interface=${version%%.*} ;;
    esac
    for library in libgrebe libgrebe-kit; do
        readelf -d "$lib/$library.so" | grep -q "(SONAME).*\[$library\.so\.$interface\]" ||
            fail "$library.so has another soname than $library.so.$interface"
        [ -e "$lib/$library.so.$version" ] || fail "$library.so.$version is not there"
    done
fi
echo "the kit stands on what the library shows: $(grep -c '^gb_' "$scratch/libgrebe-kit.used") names"
