# SPDX-License-Identifier: GPL-3.0-or-later
# A toolchain file: builds for another processor with the cross compiler of Debian and Ubuntu.
# cmake/cross.sh sets GB_MACHINE (such as s390x-linux-gnu) and GB_SYSROOT, a folder of that machine's
# libraries.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GB_MACHINE GB_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${GB_MACHINE})
set(CMAKE_C_COMPILER ${GB_MACHINE}-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${GB_MACHINE})
set(CMAKE_FIND_ROOT_PATH ${GB_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${GB_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${GB_SYSROOT}/usr/lib/${GB_MACHINE}/pkgconfig)
# Libraries that the fetched ones need; some are of a later C library, which is there when they run.
set(libraries "${GB_SYSROOT}/usr/lib/${GB_MACHINE}:${GB_SYSROOT}/lib/${GB_MACHINE}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--allow-shlib-undefined,-rpath-link,${libraries}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")
