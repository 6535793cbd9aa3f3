#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes docs/pictures, and installs the packages needed for that.
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmake/setup.sh
gb_setup build pictures
[ -f build/release/build.ninja ] || cmake --preset release -DGB_TESTS=OFF
cmake --build --preset release --target pictures
