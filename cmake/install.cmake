# SPDX-License-Identifier: GPL-3.0-or-later
# `cmake --install` installs the library and its conformance kits, each shared and static, with headers, a
# CMake package, pkg-config files, schemas, and the documents, which comments of the headers name; with the
# kits also the command, its pages and completions. The installation can be moved as a whole: it contains no
# absolute path.
include(CMakePackageConfigHelpers)

install(TARGETS grebe EXPORT grebe)
install(TARGETS grebe_static EXPORT grebe_static)
set(pc_files grebe)
if(GB_KIT)
  install(TARGETS grebe_kit EXPORT grebe)
  install(TARGETS grebe_kit_static EXPORT grebe_kit_static)
  install(TARGETS grebe_command)
  if(GB_PAGES)
    install(DIRECTORY ${GB_PAGES}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${GB_PAGES}/grebe.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME grebe)
    install(FILES ${GB_PAGES}/grebe.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _grebe)
  endif()
  list(APPEND pc_files grebe-kit)
endif()
if(GB_HAS_MPI)
  install(TARGETS grebe_mpi EXPORT grebe_mpi)
  list(APPEND pc_files grebe-mpi)
endif()
foreach(header IN LISTS GB_PUBLIC_HEADERS GB_KIT_HEADERS GB_MPI_HEADERS)
  cmake_path(GET header PARENT_PATH room)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/grebe/${room})
endforeach()
set(schemas ${CMAKE_INSTALL_DATADIR}/grebe/schemas)
install(DIRECTORY docs/schemas/ DESTINATION ${schemas})
install(CODE "
  set(GB_SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(GB_STAGE \"${PROJECT_BINARY_DIR}/documents\")
  set(GB_DOCDIR \"${CMAKE_INSTALL_DOCDIR}\")
  set(GB_SCHEMADIR \"${schemas}\")
  set(GB_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(GB_HEADERS \"${GB_PUBLIC_HEADERS};${GB_KIT_HEADERS};${GB_MPI_HEADERS}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/documents.cmake\")")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/grebe)
# Sets of targets: a program that links the shared libraries needs neither SLEEF's files nor GSL's.
install(EXPORT grebe NAMESPACE grebe:: FILE grebeTargets.cmake DESTINATION ${package})
install(EXPORT grebe_static NAMESPACE grebe:: FILE grebeStaticTargets.cmake DESTINATION ${package})
if(GB_KIT)
  install(EXPORT grebe_kit_static NAMESPACE grebe:: FILE grebeKitStaticTargets.cmake DESTINATION ${package})
endif()
if(GB_HAS_MPI)
  install(EXPORT grebe_mpi NAMESPACE grebe:: FILE grebeMpiTargets.cmake DESTINATION ${package})
endif()
configure_package_config_file(cmake/grebeConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/grebeConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/grebeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/grebeConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/grebeConfigVersion.cmake
  cmake/FindSLEEF.cmake
  DESTINATION ${package})

# pkg-config files find the installation from their own place. Where LIBDIR is absolute they cannot: then the
# prefix is written into them when they are installed. cmake_path(APPEND) keeps an absolute path as it is.
set(GB_PC_LIBDIR "\${prefix}")
set(GB_PC_INCLUDEDIR "\${prefix}")
cmake_path(APPEND GB_PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND GB_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
file(RELATIVE_PATH GB_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" GB_PC_PREFIX "\${pcfiledir}/${GB_PC_PREFIX}")
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(GB_PC_PREFIX "@CMAKE_INSTALL_PREFIX@")
endif()
foreach(name IN LISTS pc_files)
  set(pc ${PROJECT_BINARY_DIR}/cmake/${name}.pc)
  configure_file(cmake/${name}.pc.in ${pc} @ONLY)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RENAME ${pc} ${pc}.in)
    install(CODE "configure_file(\"${pc}.in\" \"${pc}\" @ONLY)" COMPONENT pkgconfig)
  endif()
  install(FILES ${pc} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT pkgconfig)
endforeach()
