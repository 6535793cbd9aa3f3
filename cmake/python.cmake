# SPDX-License-Identifier: GPL-3.0-or-later
# The description of the public interface (interface.json), and the Python package, which is made of it. The
# package needs no compiler: it calls the shared library by ctypes. In the build tree it is python/grebe, so
# PYTHONPATH=build/release/python is all that a program needs; pip (python/backend.py) takes the same files.
find_program(GB_PYTHON3 python3)
if(NOT GB_PYTHON3)
  message(STATUS "python3 was not found: no interface.json, no Python package")
  return()
endif()

set(package ${PROJECT_BINARY_DIR}/python/grebe)
set(described ${PROJECT_BINARY_DIR}/interface)
file(GLOB generators CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/interface/*.py)
set(headers ${GB_PUBLIC_HEADERS})
set(kits no)
if(GB_KIT)
  list(APPEND headers ${GB_KIT_HEADERS})
  set(kits yes)
endif()
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/)
add_custom_command(
  OUTPUT ${described}/interface.json ${described}/closures.c ${described}/__init__.pyi
  COMMAND ${GB_PYTHON3} ${PROJECT_SOURCE_DIR}/python/interface
    ${PROJECT_SOURCE_DIR} ${described} $<TARGET_FILE:grebe> ${kits} ${CMAKE_C_COMPILER}
  DEPENDS grebe ${headers} ${generators}
  COMMENT "Describing the public interface")

# Functions that return structs and call Python: of the description, too.
add_library(grebe_closures MODULE ${described}/closures.c)
set_target_properties(grebe_closures PROPERTIES OUTPUT_NAME grebe-closures PREFIX lib
  LIBRARY_OUTPUT_DIRECTORY ${package}/_lib)
target_include_directories(grebe_closures PRIVATE ${mirror})
target_compile_options(grebe_closures PRIVATE -O1)

# Sources are links, as headers are; libraries are links to those of the build.
file(GLOB_RECURSE old ${package}/*.py)
if(old)
  file(REMOVE ${old})
endif()
file(MAKE_DIRECTORY ${package}/_lib)
set(from ${PROJECT_SOURCE_DIR}/python/grebe)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${from} ${from}/*.py)
foreach(source IN LISTS sources ITEMS py.typed)
  cmake_path(GET source PARENT_PATH folder)
  file(MAKE_DIRECTORY ${package}/${folder})
  file(CREATE_LINK ${from}/${source} ${package}/${source} SYMBOLIC)
  install(FILES ${from}/${source} DESTINATION grebe/${folder} COMPONENT wheel EXCLUDE_FROM_ALL)
endforeach()
file(CREATE_LINK ${described}/interface.json ${package}/_lib/interface.json SYMBOLIC)
file(CREATE_LINK ${described}/__init__.pyi ${package}/__init__.pyi SYMBOLIC)
add_custom_target(python ALL DEPENDS ${described}/interface.json grebe_closures)
set(libraries grebe)
if(GB_KIT)
  list(APPEND libraries grebe_kit)
endif()
foreach(library IN LISTS libraries)
  add_custom_command(TARGET python POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink
    $<TARGET_SONAME_FILE:${library}> ${package}/_lib/$<TARGET_SONAME_FILE_NAME:${library}>)
endforeach()
add_dependencies(python ${libraries})

# For any language.
install(FILES ${described}/interface.json DESTINATION ${CMAKE_INSTALL_DATADIR}/grebe)

# For pip: cmake --install --component wheel.
install(FILES ${described}/__init__.pyi DESTINATION grebe COMPONENT wheel EXCLUDE_FROM_ALL)
install(FILES ${described}/interface.json DESTINATION grebe/_lib COMPONENT wheel EXCLUDE_FROM_ALL)
install(TARGETS grebe_closures ${libraries} LIBRARY DESTINATION grebe/_lib COMPONENT wheel EXCLUDE_FROM_ALL
  NAMELINK_SKIP)
