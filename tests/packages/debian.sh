#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the Debian packages in a copy of the sources, and lets lintian look at them. It takes minutes, so
# only ./check --all runs it. The tests are left out: ./check has run them.
#     debian.sh SOURCE FOLDER
set -euo pipefail
source=$1 folder=$2

for command in dpkg-buildpackage dh lintian; do
    if ! command -v "$command" >/dev/null; then
        echo "left out: no $command here"
        exit 0
    fi
done

# Packages that are built on request, where what they need is installed.
packages=(grebe libgrebe0.2 libgrebe-kit0.2 libgrebe-dev libgrebe-doc) profiles=''
wants() { # PROFILE PACKAGE NEEDED...
    if dpkg-query -W "${@:3}" >/dev/null 2>&1; then
        packages+=("$2")
        profiles=${profiles:+$profiles,}$1
    else
        echo "left out: $2, since not all of ${*:3} are installed"
    fi
}
wants pkg.grebe.mpi libgrebe-mpi0.2 libopenmpi-dev
wants pkg.grebe.python3 python3-grebe dh-python python3-installer python3-numpy

rm -rf "$folder"
mkdir -p "$folder/grebe"
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$folder/grebe" -xf -
cd "$folder/grebe"
if ! DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc -b ${profiles:+-P"$profiles"} \
    >../build.log 2>&1; then
    tail -n 40 ../build.log
    exit 1
fi
cd ..
ls ./*.deb

# The packages that are due, and no file of the stage is in none of them.
for package in "${packages[@]}"; do
    ls "${package}"_*.deb >/dev/null
done
if grep 'dh_missing: warning' build.log; then
    exit 1
fi

# A first upload closes a bug of Debian's, whose number is not known before one is planned.
lintian --fail-on error,warning --allow-root --suppress-tags initial-upload-closes-no-bugs ./*.changes

# They are whole: a program runs with what they contain, and the command with its libraries.
for package in ./*.deb; do dpkg-deb -x "$package" root; done
library=$(dirname "$(echo root/usr/lib/*/libgrebe.so)")
cc -std=c17 -I root/usr/include "$source/tests/install/program.c" -L "$library" -lgrebe -o program
LD_LIBRARY_PATH=$library ./program
LD_LIBRARY_PATH=$library root/usr/bin/grebe --version
if [ -d root/usr/lib/python3/dist-packages ]; then
    PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 - <<'END'
import grebe as gb
with gb.Tape(seed=1) as t:
    e = gb.ELBO(t, data_size=1)
    e.observe("y", gb.normal(e.latent("m", gb.mean_field(), gb.normal(0, 1)), 1), 1.0)
    assert e.fit().good and gb.check(gb.cosine(10))
END
fi
