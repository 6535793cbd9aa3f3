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

  # gcc takes half a second for immintrin.h, for the most part for these.
  set(unused_avx512 avx512vlintrin avx512bwintrin avx512vlbwintrin avx512vldqintrin avx512erintrin
    avx512pfintrin avx512cdintrin avx512vlcdintrin avx512ifmaintrin avx512ifmavlintrin avx512vbmiintrin
    avx512vbmivlintrin avx5124fmapsintrin avx5124vnniwintrin avx512vpopcntdqintrin avx512vpopcntdqvlintrin
    avx512vbmi2intrin avx512vbmi2vlintrin avx512vlvbmi2intrin avx512vnniintrin avx512vnnivlintrin
    avx512vlvnniintrin avx512bitalgintrin avx512bitalgvlintrin avx512vlbitalgintrin avx512vp2intersectintrin
    avx512vp2intersectvlintrin avx512vlvp2intersectintrin avx512fp16intrin avx512fp16vlintrin
    avx512vlfp16intrin avx512bf16intrin avx512bf16vlintrin avx512vlbf16intrin gfniintrin vaesintrin
    vpclmulqdqintrin amxtileintrin amxint8intrin amxbf16intrin amxintrin keylockerintrin)
  set(unused_avx2 avx512fintrin avx512dqintrin ${unused_avx512})

  set(native ${PROJECT_BINARY_DIR}/native)
  set(settings "set(isas ${isas})\n")
  foreach(isa IN LISTS isas)
    list(TRANSFORM unused_${isa} APPEND .h)
    string(APPEND settings "set(flags_${isa} ${flags_all} -DGB_ISA=${isa} ${flags_${isa}})\n"
      "set(unused_${isa} ${unused_${isa}})\n")
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
set(all)
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
foreach(kind flags unused)
  set(rows)
  foreach(isa IN LISTS isas)
    set(words)
    foreach(word IN LISTS ${kind}_${isa})
      string(APPEND words "\"${word}\", ")
    endforeach()
    string(TOUPPER ${isa} name)
    string(APPEND c "static const char *const ${kind}_${isa}[] = {${words}0};\n")
    string(APPEND rows "    [GB_ISA_${name}] = ${kind}_${isa},\n")
  endforeach()
  string(APPEND c "const char *const *const gb_embedded_${kind}[GB_ISA_COUNT] = {\n${rows}};\n")
endforeach()
file(WRITE ${OUT} "${c}")
