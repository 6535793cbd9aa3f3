# SPDX-License-Identifier: GPL-3.0-or-later
# The compile flags of all targets: link to grebe_flags (privately) to get them.
include(CheckCCompilerFlag)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)

# No build type defines NDEBUG: assertions stay active.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_C_FLAGS_RELEASE "-O3 -g1" CACHE STRING "" FORCE)
  set(CMAKE_C_FLAGS_DEBUG "-Og -g3" CACHE STRING "" FORCE)
  set(CMAKE_C_FLAGS_SANITIZE "-O1 -g -fno-omit-frame-pointer" CACHE STRING "" FORCE)
  set(CMAKE_C_FLAGS_COVERAGE "-O1 -g --coverage -fprofile-update=atomic" CACHE STRING "" FORCE)
endif()

add_library(grebe_flags INTERFACE)
target_compile_definitions(grebe_flags INTERFACE _POSIX_C_SOURCE=200809L)

# No contraction, so that every lane rounds alike, and never -ffast-math. The other two flags change no value:
# nothing here reads errno or the floating point status flags, so the compiler may vectorise sqrt() and
# selections.
set(GB_VALUE_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math)

# With ISO C, gcc computes floats as doubles on s390: then lanes would round unlike single numbers.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL s390x AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  list(APPEND GB_VALUE_FLAGS -fexcess-precision=fast)
endif()
target_compile_options(grebe_flags INTERFACE ${GB_VALUE_FLAGS})

foreach(warning
    all extra pedantic conversion sign-conversion shadow strict-prototypes missing-prototypes
    old-style-definition missing-declarations redundant-decls nested-externs vla write-strings cast-qual
    cast-align pointer-arith undef format=2 implicit-fallthrough logical-op duplicated-cond
    init-self date-time)
  string(MAKE_C_IDENTIFIER "GB_HAS_W_${warning}" has)
  check_c_compiler_flag(-W${warning} ${has})
  if(${has})
    target_compile_options(grebe_flags INTERFACE -W${warning})
  endif()
endforeach()
if(GB_WERROR)
  target_compile_options(grebe_flags INTERFACE -Werror)
endif()

if(GB_SANITIZE)
  add_compile_options(-fsanitize=${GB_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GB_SANITIZE})
endif()
if(GB_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
