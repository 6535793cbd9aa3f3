# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the documents, the lessons' programs, README.md, CHANGELOG.md and LICENSE. The tree's documents
# link to files where they stand there; in the installed ones the same links lead to where these files were
# installed. Of a link to a file that is not, such as a source, only the words are left.
#
# `cmake --install` runs this with GB_SOURCE, GB_STAGE (a folder of the build), GB_DOCDIR, GB_INCLUDEDIR,
# GB_SCHEMADIR, and GB_HEADERS, the public headers.
cmake_policy(VERSION 3.25)
string(ASCII 1 mark) # stands for "](", since brackets have a meaning in lists

cmake_path(ABSOLUTE_PATH GB_DOCDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
cmake_path(ABSOLUTE_PATH GB_SCHEMADIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
cmake_path(ABSOLUTE_PATH GB_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
set(rooms ${GB_HEADERS})
list(TRANSFORM rooms REPLACE "/.*" "")

# Where a file or folder of the tree is installed; "" if it is not.
function(gb_place path place)
  set(found "")
  if(path MATCHES "^docs/generate")
    set(found "")
  elseif(path MATCHES "^docs/schemas(/.*)?$")
    set(found "${GB_SCHEMADIR}${CMAKE_MATCH_1}")
  elseif(path MATCHES "^docs(/.*)?$")
    set(found "${GB_DOCDIR}${CMAKE_MATCH_1}")
  elseif(path MATCHES "^(README\\.md|CHANGELOG\\.md|LICENSE|examples|examples/.*\\.(c|py))$")
    set(found "${GB_DOCDIR}/${path}")
  elseif(path IN_LIST GB_HEADERS OR path IN_LIST rooms)
    set(found "${GB_INCLUDEDIR}/grebe/${path}")
  endif()
  set(${place} "${found}" PARENT_SCOPE)
endfunction()

# Changes one link in the text of a document of the tree. Links within it, and to other sites, stay.
function(gb_change_link variable document link)
  string(REGEX REPLACE "#.*" "" target "${link}")
  string(REGEX MATCH "#.*" anchor "${link}")
  cmake_path(GET document PARENT_PATH folder)
  set(path "${folder}/${target}")
  if(folder STREQUAL "")
    set(path "${target}")
  endif()
  cmake_path(NORMAL_PATH path)
  string(REGEX REPLACE "/$" "" path "${path}")
  if(target STREQUAL "" OR NOT EXISTS "${GB_SOURCE}/${path}")
    return()
  endif()
  gb_place("${path}" place)
  if(place STREQUAL "")
    string(REGEX REPLACE "([.+*?^$()])" "\\\\\\1" words "${link}")
    string(REGEX REPLACE "\\[([^][]*)${mark}${words}\\)" "\\1" changed "${${variable}}")
  else()
    gb_place("${document}" here)
    cmake_path(GET here PARENT_PATH here)
    file(RELATIVE_PATH way "${here}" "${place}")
    string(REPLACE "${mark}${link})" "${mark}${way}${anchor})" changed "${${variable}}")
  endif()
  set(${variable} "${changed}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE documents RELATIVE "${GB_SOURCE}" "${GB_SOURCE}/docs/*.md")
file(REMOVE_RECURSE "${GB_STAGE}")
foreach(document IN LISTS documents ITEMS README.md CHANGELOG.md)
  file(READ "${GB_SOURCE}/${document}" content)
  string(REPLACE "](" "${mark}" content "${content}")
  string(REGEX MATCHALL "${mark}[^)]*" links "${content}")
  list(REMOVE_DUPLICATES links)
  foreach(link IN LISTS links)
    string(REPLACE "${mark}" "" link "${link}")
    gb_change_link(content "${document}" "${link}")
  endforeach()
  string(REPLACE "${mark}" "](" content "${content}")
  string(REGEX REPLACE "^docs/" "" name "${document}")
  file(WRITE "${GB_STAGE}/${name}" "${content}")
endforeach()
file(INSTALL "${GB_STAGE}/" DESTINATION "${GB_DOCDIR}")
file(INSTALL "${GB_SOURCE}/docs/" DESTINATION "${GB_DOCDIR}"
  FILES_MATCHING PATTERN "*.svg" PATTERN "*.gp" PATTERN "*.sed" PATTERN generate EXCLUDE)
file(INSTALL "${GB_SOURCE}/examples/" DESTINATION "${GB_DOCDIR}/examples" FILES_MATCHING PATTERN "*.c"
  PATTERN "*.py")
file(INSTALL "${GB_SOURCE}/LICENSE" DESTINATION "${GB_DOCDIR}")
