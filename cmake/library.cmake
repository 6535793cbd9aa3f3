# SPDX-License-Identifier: GPL-3.0-or-later
# The library: it consists of every .c file of its rooms. Lower rooms come first; tests/house/layering.py
# checks that no room includes a higher one.
# kit and cli: cmake/kit.cmake
set(GB_ROOMS core data ops plugins distributions estimators models ready fitting prediction compare)

# Finds the sources of rooms, in all their folders, and their public headers, which stand at the top. Headers
# below the top are private to their folder; so are x_impl.h and x_table.h at the top.
function(gb_collect sources headers)
  set(all_sources)
  set(all_headers)
  foreach(room IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
      ${PROJECT_SOURCE_DIR}/${room}/*.c)
    list(APPEND all_sources ${found})
    file(GLOB found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${room}/*.h)
    list(APPEND all_headers ${found})
  endforeach()
  list(FILTER all_headers EXCLUDE REGEX "_(impl|table)\\.h$")
  set(${sources} ${all_sources} PARENT_SCOPE)
  set(${headers} ${all_headers} PARENT_SCOPE)
endfunction()

gb_collect(sources GB_PUBLIC_HEADERS ${GB_ROOMS})
set(vector_sources ${sources})
list(FILTER sources EXCLUDE REGEX "_vector\\.c$")
list(FILTER vector_sources INCLUDE REGEX "_vector\\.c$")
list(APPEND GB_PUBLIC_HEADERS grebe.h)

# --- objects, shared by both libraries ---

set(objects)
function(gb_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE grebe_flags Threads::Threads SLEEF::sleef ZLIB::ZLIB)
  set(objects ${objects} $<TARGET_OBJECTS:${name}> PARENT_SCOPE)
endfunction()

# Files named *_vector.c are compiled once for each instruction set and each real type. The library chooses
# between them when it is loaded, so one build serves all machines.
set(isas baseline)
set(flags_baseline)
if(NOT GB_PLAIN AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND
    CMAKE_SIZEOF_VOID_P EQUAL 8)
  list(APPEND isas avx2 avx512)
  set(flags_avx2 -mavx2 -mfma)
  set(flags_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)
endif()
include(native)
gb_objects(grebe_objects ${sources} ${native}/embedded.c)
if(vector_sources)
  foreach(isa IN LISTS isas)
    foreach(bits 64 32)
      gb_objects(grebe_vector_${isa}_${bits} ${vector_sources})
      target_compile_definitions(grebe_vector_${isa}_${bits} PRIVATE GB_ISA=${isa} GB_REAL_BITS=${bits})
      target_compile_options(grebe_vector_${isa}_${bits} PRIVATE
        ${flags_${isa}} -Wdouble-promotion -Wno-psabi)
    endforeach()
  endforeach()
endif()

# --- the two libraries ---

add_library(grebe SHARED ${objects})
add_library(grebe_static STATIC ${objects})
add_library(grebe::grebe ALIAS grebe)
add_library(grebe::grebe_static ALIAS grebe_static)
# Before 1.0 the soname has the minor version too: libgrebe.so.0.2, then libgrebe.so.1.
set(GB_SOVERSION ${PROJECT_VERSION_MAJOR})
if(GB_SOVERSION EQUAL 0)
  string(APPEND GB_SOVERSION .${PROJECT_VERSION_MINOR})
endif()
set_target_properties(grebe PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${GB_SOVERSION})
set_target_properties(grebe_static PROPERTIES OUTPUT_NAME grebe EXPORT_NAME grebe_static)
set_target_properties(grebe grebe_static PROPERTIES LINKER_LANGUAGE C)

# OpenBLAS is not linked: core loads it with dlopen, after choosing its kernels.
foreach(library grebe grebe_static)
  target_link_libraries(${library} PRIVATE SLEEF::sleef ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} m)
endforeach()

# Link options of our shared libraries.
function(gb_link_strictly library)
  if(APPLE)
    return()
  endif()
  target_link_options(${library} PRIVATE LINKER:--as-needed LINKER:--no-undefined)
  if(GB_SANITIZE)
    target_link_options(${library} PRIVATE LINKER:-z,undefs)
  endif()
endfunction()
gb_link_strictly(grebe)

# Programs see headers as they are installed: <grebe/core/tape.h>. In the build tree these are links to the
# sources, renewed whenever a header is added or removed.
set(mirror ${PROJECT_BINARY_DIR}/include)
file(REMOVE_RECURSE ${mirror}/grebe)
function(gb_show_headers)
  foreach(header IN LISTS ARGN)
    cmake_path(GET header PARENT_PATH room)
    file(MAKE_DIRECTORY ${mirror}/grebe/${room})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${header} ${mirror}/grebe/${header} SYMBOLIC)
  endforeach()
endfunction()
gb_show_headers(${GB_PUBLIC_HEADERS})
foreach(library grebe grebe_static)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${mirror}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
