#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds grebe for other processors with Debian's cross compilers, and runs tests of it by qemu-user.
#     cmake/cross.sh [MACHINE...]    riscv64, ppc64el, s390x (high byte first), arm64; without a name: all
# Libraries of the other machine are fetched as Debian packages and unpacked in build/cross/MACHINE; nothing
# is installed but the cross compiler and qemu. What cannot be fetched is left out, in words.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/setup.sh

# The tests: kernels, operations, laws, files. qemu takes ten times as long and more; it starts no program
# anew, as some tests do.
tests=(core_kernels_philox ops_values ops_products_linear data_array_array
    distributions_families_positive models_checkpoint_checkpoint unchanged_checkpoint)
libraries='zlib1g zlib1g-dev libcmocka0 libcmocka-dev libgslcblas0 libgsl-dev libopenblas0-pthread
    libgfortran5 libgcc-s1'
jobs=$(nproc 2>/dev/null || echo 2)

left_out() {
    echo "left out: $*"
    return 0
}

# The triplet, qemu's name, the release, and further packages. riscv64 is in later releases only: its
# libraries need a later C library when they run.
machine_of() {
    case $1 in
    riscv64) echo riscv64-linux-gnu riscv64 trixie libgsl28 libc6 ;;
    ppc64el) echo powerpc64le-linux-gnu ppc64le bookworm libgsl27 libquadmath0 ;;
    s390x) echo s390x-linux-gnu s390x bookworm libgsl27 ;;
    arm64) echo aarch64-linux-gnu aarch64 bookworm libgsl27 libsleef-dev libsleef3 ;;
    *) gb_die "unknown machine $1" ;;
    esac
}

# fetch FOLDER ARCHITECTURE RELEASE PACKAGE...: unpacks packages, with lists of apt's own in that folder.
fetch() {
    local to=$1 architecture=$2 release=$3 keys=/usr/share/keyrings/debian-archive-keyring.gpg package
    shift 3
    [ -e "$to/done" ] && return
    [ -e $keys ] || return 1
    mkdir -p "$to/lists/partial" "$to/cache/archives/partial" "$to/sysroot"
    printf 'deb [signed-by=%s] http://deb.debian.org/debian %s main\n' $keys "$release" >"$to/sources.list"
    : >"$to/status"
    local options=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
        -o "Dir::State=$to" -o "Dir::State::lists=$to/lists" -o "Dir::State::status=$to/status"
        -o "Dir::Cache=$to/cache" -o "Dir::Etc::sourcelist=$to/sources.list"
        -o Dir::Etc::sourceparts=/dev/null -o Acquire::Languages=none)
    apt-get "${options[@]}" update >"$to/log" 2>&1 &&
        (cd "$to/cache/archives" && apt-get "${options[@]}" download "$@" >>"$to/log" 2>&1) || return 1
    for package in "$to"/cache/archives/*.deb; do dpkg-deb -x "$package" "$to/sysroot" || return 1; done
    [ -e "$to/sysroot/lib" ] || ln -s usr/lib "$to/sysroot/lib"
    touch "$to/done"
}

# OpenBLAS lies in a folder of its own there, and is a link of alternatives elsewhere.
run_tests() {
    local build=$1 machine=$2 qemu=$3 sysroot=$4 loader=/usr/$2 name
    [ -e "$sysroot/usr/lib/$machine/libc.so.6" ] && loader=$sysroot
    local lib=$sysroot/usr/lib/$machine
    export QEMU_LD_PREFIX=$loader
    export QEMU_SET_ENV="LD_LIBRARY_PATH=$lib/openblas-pthread:$lib:$sysroot/lib/$machine:/usr/$machine/lib"
    export GB_LAUNCHER="qemu-$qemu" GB_DRAWS=6400 GB_CASES=64 GB_INSTANCES=2
    name=$(printf '%s|' "${tests[@]}" | sed 's/|$//')
    ctest --test-dir "$build" -j "$jobs" --output-on-failure -R "^(${name//_/[_/]})\$"
}

build() {
    local folder=$1 triplet=$2
    cmake -G Ninja -S . -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/cross.cmake" \
        -DGB_MACHINE="$triplet" -DGB_SYSROOT="$folder/sysroot" -DGB_WERROR=ON -DGB_EXAMPLES=OFF \
        -DGB_BENCH=OFF >"$folder/log" &&
        cmake --build "$folder/build" -j "$jobs" --target grebe "${tests[@]/#/test_}" >>"$folder/log"
}

check_machine() {
    local triplet qemu release packages names folder=$PWD/build/cross/$1
    names=$(machine_of "$1") || return 1
    read -r triplet qemu release packages <<<"$names"
    gb_say "-- $1"
    command -v "$triplet-gcc" >/dev/null || { left_out "there is no $triplet-gcc" && return; }
    command -v "qemu-$qemu" >/dev/null || { left_out "there is no qemu-$qemu" && return; }
    # shellcheck disable=SC2086
    fetch "$folder" "$1" "$release" $libraries $packages ||
        { left_out "libraries for $1 cannot be fetched" && return; }
    if ! build "$folder" "$triplet"; then
        grep -E -A12 'error|FAILED|CMake Error' "$folder/log" >&2
        return 1
    fi
    run_tests "$folder/build" "$triplet" "$qemu" "$folder/sysroot"
}
[ $# -gt 0 ] || set -- riscv64 ppc64el s390x arm64
if ! command -v dpkg-deb >/dev/null || ! command -v apt-get >/dev/null; then
    left_out 'other processors: there is no apt here'
    exit 0
fi
failed=()
for machine; do check_machine "$machine" || failed+=("$machine"); done
[ ${#failed[@]} -eq 0 ] || gb_die "failed: ${failed[*]}"
