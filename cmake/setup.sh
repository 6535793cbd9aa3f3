# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by ./demo, ./check and bench/run: finds missing packages and installs them.

gb_say() { printf '\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || gb_say() { printf '%s\n' "$*"; }

gb_die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Packages of Debian and Ubuntu, by purpose. Those with a question mark are used if the release still has
# them.
gb_packages() {
    local group
    for group; do
        case $group in
        build)
            echo gcc libc6-dev cmake ninja-build pkgconf libsleef-dev zlib1g-dev libgsl-dev libopenblas0
            ;;
        test) echo g++ python3 libcmocka-dev libopenmpi-dev? openmpi-bin? binutils clang-format-14? ;;
        gnuplot) echo gnuplot-nox ;;
        pictures) echo gnuplot-nox python3 ;;
        machines)
            echo qemu-user? gcc-riscv64-linux-gnu? gcc-powerpc64le-linux-gnu? gcc-s390x-linux-gnu? \
                gcc-aarch64-linux-gnu? libc6-dev-riscv64-cross? libc6-dev-ppc64el-cross? \
                libc6-dev-s390x-cross? libc6-dev-arm64-cross?
            ;;
        all)
            echo clang valgrind libc6-dbg gcovr shellcheck clang-tidy-14? \
                doxygen man-db zsh dpkg-dev debhelper dh-python lintian python3-installer
            ;;
        bench-peers) echo python3-torch ;;
        python) echo python3-numpy? python3-venv? python3-pip? ;;
        esac
    done
}

# The same for other systems, where the user must install them.
gb_elsewhere() {
    cat >&2 <<'END'
No apt here. Please install these packages, then run this again:
    Homebrew:  brew install cmake ninja pkgconf sleef zlib openblas cmocka gsl clang-format
    dnf:       sudo dnf install gcc gcc-c++ cmake ninja-build pkgconf-pkg-config sleef-devel zlib-devel
               openblas-threads libcmocka-devel gsl-devel clang-tools-extra
    pacman:    sudo pacman -S gcc cmake ninja pkgconf sleef zlib openblas cmocka gsl clang
(for ./demo also: gnuplot; with --all also: clang, valgrind, gcovr, shellcheck, and
doxygen, man and zsh, without which three tests leave something out; for bench/run --peers:
PyTorch; for the pictures of the documents: gnuplot and Python 3)
END
}

gb_commands() {
    local name
    for name; do command -v "$name" >/dev/null || return 1; done
}

# Returns whether everything is installed, without asking dpkg.
gb_have_without_dpkg() {
    local group cc=${CC:-cc}
    for group; do
        case $group in
        build)
            gb_commands "$cc" cmake ninja pkg-config && pkg-config --exists gsl || return 1
            # shellcheck disable=SC2046
            printf '#include <sleef.h>\n#include <zlib.h>\n' |
                "$cc" $(pkg-config --cflags sleef 2>/dev/null) -E - >/dev/null 2>&1 || return 1
            ;;
        test) gb_commands c++ python3 && pkg-config --exists cmocka || return 1 ;;
        gnuplot) gb_commands gnuplot || return 1 ;;
        pictures) gb_commands gnuplot python3 || return 1 ;;
        all) gb_commands clang valgrind gcovr shellcheck || return 1 ;;
        bench-peers) "${PYTHON:-python3}" -c 'import torch' 2>/dev/null || return 1 ;;
        python) ;; # its tests are left out, in words, without NumPy
        esac
    done
}

# gb_setup GROUP...: installs the packages of these groups, or ends the script.
gb_setup() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        gb_have_without_dpkg "$@" && return
        gb_elsewhere
        exit 1
    fi

    local wanted installed missing=() optional=() package
    wanted=$(gb_packages "$@" | tr '\n' ' ')
    # shellcheck disable=SC2086
    installed=$(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' ${wanted//\?/} 2>/dev/null |
        sed -n 's/^installed \([^:]*\).*/\1/p') || true
    for package in $wanted; do
        case $'\n'$installed$'\n' in
        *$'\n'"${package%\?}"$'\n'*) ;;
        *) case $package in *\?) optional+=("${package%\?}") ;; *) missing+=("$package") ;; esac ;;
        esac
    done
    [ $((${#missing[@]} + ${#optional[@]})) -eq 0 ] && return

    # The list of packages is updated only if it lacks one that is needed.
    local root=() updated=no
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    if [ ${#missing[@]} -gt 0 ]; then
        gb_say "Missing packages, installed now: ${missing[*]}"
        [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
            gb_die 'there is no sudo; please install them as root, and call again'
        if ! apt-cache show "${missing[@]}" >/dev/null 2>&1; then
            gb_update
        fi
    fi
    for package in "${optional[@]}"; do
        if apt-cache show "$package" >/dev/null 2>&1; then missing+=("$package"); fi
    done
    [ ${#missing[@]} -eq 0 ] && return
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        return # only what one can do without
    fi
    gb_install "${missing[@]}" && return
    [ $updated = yes ] || gb_update # the list may be too old: its versions are gone
    gb_install "${missing[@]}" || gb_die "could not install: ${missing[*]}"
}

gb_update() {
    updated=yes
    "${root[@]}" apt-get update || gb_die 'apt-get update failed'
}

gb_install() {
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}
