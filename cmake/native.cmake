# SPDX-License-Identifier: GPL-3.0-or-later
# What core/native/ knows of the build, as C: core/kernels/native_prelude.h with the headers that it includes,
# and the compiler's flags. cmake/library.cmake includes this file, and the build runs it as a script, which
# writes that C: SETTINGS are the flags, SOURCE is the tree, OUT the result.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  # SLEEF's functions are called by their addresses, so native code needs no package's headers.
  set(flags_all -std=c17 -O2 ${GB_VALUE_FLAGS} -fPIC -fvisibility=hidden
    -Werror=implicit-function-declaration -Wno-psabi -D_POSIX_C_SOURCE=200809L -DGB_NO_SLEEF)
  if(GB_PLAIN)
    list(APPEND flags_all -DGB_PLAIN)
  endif()

  set(native ${PROJECT_BINARY_DIR}/native)
  set(settings "set(isas ${isas})\n")
  foreach(isa IN LISTS isas)
    string(APPEND settings "set(flags_${isa} ${flags_all} -DGB_ISA=${isa} ${flags_${isa}})\n")
  endforeach()
  string(REPLACE ";" " " settings "${settings}")
  file(CONFIGURE OUTPUT ${native}/settings.cmake CONTENT "${settings}" @ONLY)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/*.h ${PROJECT_SOURCE_DIR}/core/kernels/*.h)
  set(script ${PROJECT_SOURCE_DIR}/cmake/native.cmake)
  add_custom_command(OUTPUT ${native}/embedded.c DEPENDS ${headers} ${native}/settings.cmake ${script}
    COMMAND ${CMAKE_COMMAND} -DSETTINGS=${native}/settings.cmake -DSOURCE=${PROJECT_SOURCE_DIR}
      -DOUT=${native}/embedded.c -P ${script} VERBATIM)
  return()
endif()

cmake_minimum_required(VERSION 3.25)

# Appends a header to `all`, once, with those that it includes in their places.
function(add_header path)
  get_property(added GLOBAL PROPERTY added)
  if(path IN_LIST added)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY added ${path})
  file(READ ${SOURCE}/${path} text)
  cmake_path(GET path PARENT_PATH folder)
  while(text MATCHES "\n#include \"([^\"\n]*)\"\n")
    set(line "${CMAKE_MATCH_0}")
    set(name ${CMAKE_MATCH_1})
    if(NOT EXISTS ${SOURCE}/${name}) # it is beside this one
      set(name ${folder}/${name})
    endif()
    string(FIND "${text}" "${line}" at)
    string(SUBSTRING "${text}" 0 ${at} before)
    string(APPEND all "${before}\n")
    add_header(${name})
    string(LENGTH "${line}" length)
    math(EXPR at "${at} + ${length} - 1")
    string(SUBSTRING "${text}" ${at} -1 text)
  endwhile()
  set(all "${all}${text}" PARENT_SCOPE)
endfunction()

include(${SETTINGS})
# gcc takes half a second for immintrin.h, for the most part for headers that it includes and that have no use
# here. Where the macro is defined that says that a header was included already, gcc leaves it out.
set(all)
macro(leave_out condition)
  string(APPEND all "#if ${condition} && !GB_WHOLE_HEADERS\n")
  foreach(header ${ARGN})
    string(TOUPPER ${header} header)
    string(APPEND all "#define _${header}INTRIN_H_INCLUDED\n#define __${header}INTRIN_H_INCLUDED\n")
  endforeach()
  string(APPEND all "#endif\n")
endmacro()
leave_out("defined(__AVX2__)" avx512vl avx512bw avx512vlbw avx512vldq avx512er avx512pf avx512cd avx512ifma
  avx512ifmavl avx512vbmi avx512vbmivl avx5124fmaps avx5124vnniw avx512vpopcntdq avx512vpopcntdqvl avx512vbmi2
  avx512vbmi2vl avx512vnni avx512vnnivl avx512bitalg avx512vp2intersect avx512vp2intersectvl avx512fp16
  avx512fp16vl avx512bf16 avx512bf16vl gfni vaes vpclmulqdq amxtile amxint8 amxbf16 keylocker)
leave_out("!defined(__AVX512F__)" avx512f avx512dq)
add_header(core/kernels/native_prelude.h)
file(READ ${SETTINGS} settings)
string(SHA256 hash "${settings}${all}")
# As numbers: no compiler has to accept a string of such a length.
string(HEX "${all}" bytes)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")

set(c "/* Written by cmake/native.cmake. */
#include \"core/native/embedded_impl.h\"

const char gb_embedded_hash[] = \"${hash}\";
const unsigned char gb_embedded_prelude[] = {${bytes}};
const size_t gb_embedded_prelude_bytes = sizeof gb_embedded_prelude;
")
foreach(isa IN LISTS isas)
  set(words)
  foreach(word IN LISTS flags_${isa})
    string(APPEND words "\"${word}\", ")
  endforeach()
  string(TOUPPER ${isa} name)
  string(APPEND c "static const char *const flags_${isa}[] = {${words}0};\n")
  string(APPEND rows "    [GB_ISA_${name}] = flags_${isa},\n")
endforeach()
string(APPEND c "const char *const *const gb_embedded_flags[GB_ISA_COUNT] = {\n${rows}};\n")
file(WRITE ${OUT} "${c}")
