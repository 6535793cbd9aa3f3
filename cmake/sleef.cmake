# SPDX-License-Identifier: GPL-3.0-or-later
# SLEEF, or libm in its place: then the target SLEEF::sleef is empty. core/kernels/vector_math_impl.h names
# SLEEF's functions for the processors below. Elsewhere pow, sin, cos, atan and atan2 are libm's.
set(GB_SLEEF_PROCESSORS "^(x86_64|AMD64|amd64|aarch64|arm64|ARM64)$")
set(GB_USES_SLEEF OFF)
if(NOT GB_PLAIN AND CMAKE_SYSTEM_PROCESSOR MATCHES "${GB_SLEEF_PROCESSORS}")
  set(GB_USES_SLEEF ON)
  find_package(SLEEF REQUIRED)
else()
  message(STATUS "kernels without SLEEF: pow, sin, cos, atan and atan2 are libm's")
  add_library(SLEEF::sleef INTERFACE IMPORTED)
  target_compile_definitions(grebe_flags INTERFACE GB_NO_SLEEF)
endif()
if(GB_PLAIN)
  target_compile_definitions(grebe_flags INTERFACE GB_PLAIN)
endif()
# For grebe.pc.
set(GB_PC_SLEEF "")
if(GB_USES_SLEEF)
  set(GB_PC_SLEEF "-lsleef ")
endif()
