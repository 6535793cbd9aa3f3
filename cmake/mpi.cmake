# SPDX-License-Identifier: GPL-3.0-or-later
# Teams of processes: a library of its own, where MPI is installed. Nothing else needs MPI.
set(GB_HAS_MPI OFF)
if(NOT GB_MPI)
  return()
endif()
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
  message(STATUS "MPI is not installed (Debian: libopenmpi-dev): there will be no libgrebe-mpi")
  return()
endif()
set(GB_HAS_MPI ON)
gb_collect(mpi_sources GB_MPI_HEADERS mpi)
add_library(grebe_mpi SHARED ${mpi_sources})
add_library(grebe::mpi ALIAS grebe_mpi)
set_target_properties(grebe_mpi PROPERTIES OUTPUT_NAME grebe-mpi EXPORT_NAME mpi
  VERSION ${PROJECT_VERSION} SOVERSION ${GB_SOVERSION}
  INSTALL_RPATH $<IF:$<BOOL:${APPLE}>,@loader_path,$ORIGIN>)
target_include_directories(grebe_mpi PRIVATE ${PROJECT_SOURCE_DIR} INTERFACE
  $<BUILD_INTERFACE:${mirror}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(grebe_mpi PUBLIC grebe MPI::MPI_C PRIVATE grebe_flags m)
gb_link_strictly(grebe_mpi)
gb_show_headers(${GB_MPI_HEADERS})
