# SPDX-License-Identifier: GPL-3.0-or-later
# The conformance kits, a library of their own above all rooms, and the command, which runs them.
gb_collect(kit_sources GB_KIT_HEADERS kit)
find_package(GSL QUIET)
if(NOT GSL_FOUND)
  message(FATAL_ERROR "GSL is not installed. The conformance kits (kit/) take quantiles from it: please "
    "install libgsl-dev (Debian, Ubuntu), gsl-devel (Fedora) or gsl (Homebrew, Arch); or leave kits, command "
    "and tests out: -DGB_KIT=OFF -DGB_TESTS=OFF")
endif()
add_library(grebe_kit_objects OBJECT ${kit_sources})
target_include_directories(grebe_kit_objects PRIVATE ${PROJECT_SOURCE_DIR} ${mirror})
target_link_libraries(grebe_kit_objects PRIVATE grebe_flags GSL::gsl)
add_library(grebe_kit SHARED $<TARGET_OBJECTS:grebe_kit_objects>)
add_library(grebe_kit_static STATIC $<TARGET_OBJECTS:grebe_kit_objects>)
add_library(grebe::kit ALIAS grebe_kit)
add_library(grebe::kit_static ALIAS grebe_kit_static)
set_target_properties(grebe_kit PROPERTIES OUTPUT_NAME grebe-kit EXPORT_NAME kit
  VERSION ${PROJECT_VERSION} SOVERSION ${GB_SOVERSION}
  INSTALL_RPATH $<IF:$<BOOL:${APPLE}>,@loader_path,$ORIGIN>) # it finds grebe beside itself
set_target_properties(grebe_kit_static PROPERTIES OUTPUT_NAME grebe-kit EXPORT_NAME kit_static)
target_link_libraries(grebe_kit PUBLIC grebe PRIVATE GSL::gsl m)
target_link_libraries(grebe_kit_static PUBLIC grebe_static PRIVATE GSL::gsl m)
set_target_properties(grebe_kit grebe_kit_static PROPERTIES LINKER_LANGUAGE C)
foreach(library grebe_kit grebe_kit_static)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${mirror}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
gb_link_strictly(grebe_kit)
gb_show_headers(${GB_KIT_HEADERS})

# --- the command ---

# It is linked to the shared libraries, and so are the plug-ins that it loads: the process has one copy of
# grebe. Of what the libraries do not export it has a copy of its own: texts, files, processes and the clock.
file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/cli/*.c)
set(command_main cli/commands/main.c)
list(REMOVE_ITEM found ${command_main})
add_library(grebe_command_objects OBJECT
  ${found} core/ground/clock.c core/ground/file.c core/ground/process.c core/ground/text.c)
add_executable(grebe_command ${command_main})
# In a folder of its own: the linker would take a file build/PRESET/grebe for the target of that name.
set_target_properties(grebe_command PROPERTIES
  OUTPUT_NAME grebe RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# Installed, it finds the libraries from its own place. Where a folder is absolute it cannot.
file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(to_libraries "$<IF:$<BOOL:${APPLE}>,@loader_path,$ORIGIN>/${to_libraries}")
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_BINDIR})
  set(to_libraries ${CMAKE_INSTALL_FULL_LIBDIR})
endif()
set_target_properties(grebe_command PROPERTIES INSTALL_RPATH ${to_libraries})

# Its manual pages, and the files by which bash and zsh complete its words: a program that has the command's
# own tables writes them.
add_executable(grebe_pages docs/generate/pages_of_the_command.c)
foreach(target grebe_command_objects grebe_command grebe_pages)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE _XOPEN_SOURCE=700
    GB_MPI_LIBRARY="${CMAKE_SHARED_LIBRARY_PREFIX}grebe-mpi${CMAKE_SHARED_LIBRARY_SUFFIX}.${GB_SOVERSION}")
  target_link_libraries(${target} PRIVATE
    grebe_flags grebe_kit SLEEF::sleef Threads::Threads ${CMAKE_DL_LIBS} m)
endforeach()
foreach(target grebe_command grebe_pages)
  target_link_libraries(${target} PRIVATE grebe_command_objects)
endforeach()
# Not with sanitizers: the thread sanitizer does not run on every machine that builds.
if(NOT GB_SANITIZE)
  set(GB_PAGES ${PROJECT_BINARY_DIR}/pages)
  file(MAKE_DIRECTORY ${GB_PAGES}/man)
  add_custom_command(OUTPUT ${GB_PAGES}/man/grebe.1 ${GB_PAGES}/grebe.bash ${GB_PAGES}/grebe.zsh
    COMMAND grebe_pages ${GB_PAGES} DEPENDS grebe_pages VERBATIM)
  add_custom_target(pages ALL DEPENDS ${GB_PAGES}/man/grebe.1)
  add_dependencies(grebe_command pages)
endif()
