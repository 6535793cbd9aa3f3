# SPDX-License-Identifier: GPL-3.0-or-later
# What core/native/ knows of the build, as C: the headers that native code may include, and the compiler's
# flags. cmake/library.cmake includes this file, and the build runs it as a script, which writes that C:
# SETTINGS is the file of what is written, SOURCE the tree, OUT the result.
set(headers core/export.h core/kernel.h core/shape.h core/kernels/block_impl.h core/kernels/engine_impl.h
  core/kernels/instruction_impl.h core/kernels/native_prelude.h core/kernels/vector_impl.h
  core/kernels/vector_math_impl.h core/kernels/vector_special_impl.h)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  # SLEEF's functions are called by their addresses, so native code needs no package's headers.
  set(flags -std=c17 -O2 ${GB_VALUE_FLAGS} -fPIC -fvisibility=hidden -w -Wno-psabi
    -D_POSIX_C_SOURCE=200809L -DGB_NO_SLEEF)
  if(GB_PLAIN)
    list(APPEND flags -DGB_PLAIN)
  endif()
  set(native ${PROJECT_BINARY_DIR}/native)
  set(settings "set(isas ${isas})\nset(flags ${flags})\n")
  foreach(isa IN LISTS isas)
    string(APPEND settings "set(flags_${isa} -DGB_ISA=${isa} ${flags_${isa}})\n")
  endforeach()
  string(REPLACE ";" " " settings "${settings}")
  file(CONFIGURE OUTPUT ${native}/settings.cmake CONTENT "${settings}" @ONLY)
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE read)
  set(script ${PROJECT_SOURCE_DIR}/cmake/native.cmake)
  add_custom_command(OUTPUT ${native}/embedded.c VERBATIM DEPENDS ${read} ${native}/settings.cmake ${script}
    COMMAND ${CMAKE_COMMAND} -DSETTINGS=${native}/settings.cmake -DSOURCE=${PROJECT_SOURCE_DIR}
      -DOUT=${native}/embedded.c -P ${script})
  return()
endif()

include(${SETTINGS})
set(c "/* Written by cmake/native.cmake. */\n#include \"core/native/embedded_impl.h\"\n\n")

# As numbers: a compiler need not accept a string of such a length.
set(rows)
set(number 0)
file(READ ${SETTINGS} all)
foreach(header IN LISTS headers)
  file(READ ${SOURCE}/${header} bytes HEX)
  string(APPEND all "${header} ${bytes}")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND c "static const unsigned char text_${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${header}\", text_${number}, sizeof text_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND c "const gb_embedded gb_embedded_headers[] = {\n${rows}    {0},\n};\n\n")

macro(put_flags declaration list)
  string(REPLACE ";" "\", \"" quoted "${${list}}")
  string(APPEND c "${declaration}[] = {\"${quoted}\", 0};\n")
endmacro()
put_flags("const char *const gb_embedded_flags" flags)
set(rows)
foreach(isa IN LISTS isas)
  put_flags("static const char *const of_${isa}" flags_${isa})
  string(TOUPPER ${isa} name)
  string(APPEND rows "    [GB_ISA_${name}] = of_${isa},\n")
endforeach()
string(APPEND c "const char *const *const gb_embedded_isa_flags[GB_ISA_COUNT] = {\n${rows}};\n\n")

string(SHA256 hash "${all}")
string(APPEND c "const char gb_embedded_hash[] = \"${hash}\";\n")
file(WRITE ${OUT} "${c}")
