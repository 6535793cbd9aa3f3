# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` leaves: two libraries, headers, a CMake package and a pkg-config file. All of it can be
# moved as a whole: no path of this machine is written into it.
include(CMakePackageConfigHelpers)

install(TARGETS grebe grebe_kit EXPORT grebe)
install(TARGETS grebe_static grebe_kit_static EXPORT grebe_static)
foreach(header IN LISTS GB_PUBLIC_HEADERS GB_KIT_HEADERS)
  cmake_path(GET header PARENT_PATH room)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/grebe/${room})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/grebe)
# Two sets of targets: a program that links the shared library does not need SLEEF's headers.
install(EXPORT grebe NAMESPACE grebe:: FILE grebeTargets.cmake DESTINATION ${package})
install(EXPORT grebe_static NAMESPACE grebe:: FILE grebeStaticTargets.cmake DESTINATION ${package})
configure_package_config_file(cmake/grebeConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/grebeConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/grebeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/grebeConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/grebeConfigVersion.cmake
  cmake/FindSLEEF.cmake
  DESTINATION ${package})

set(pc_dir /${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH GB_PC_PREFIX ${pc_dir} /)
string(REGEX REPLACE "/$" "" GB_PC_PREFIX "${GB_PC_PREFIX}")
configure_file(cmake/grebe.pc.in ${PROJECT_BINARY_DIR}/cmake/grebe.pc @ONLY)
configure_file(cmake/grebe-kit.pc.in ${PROJECT_BINARY_DIR}/cmake/grebe-kit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/grebe.pc ${PROJECT_BINARY_DIR}/cmake/grebe-kit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
