# The backends of this build: sets GPUMINER_BACKENDS, those of the known ones that it has, GPUMINER_GPU_BACKENDS, the same
# without cpu, and GPUMINER_WHY_WITHOUT_BACKEND, what the program says of one that it does not have.
#
# FOLDER/dependencies.cmake looks for what a backend takes to build, if it takes more than the rest: it sets `needs` (in
# words, for users) and `found`, and defines the interface target gpuminer_deps_FOLDER. Libraries of GPU APIs are opened at
# run time, so building takes headers and compilers only.
set(GPUMINER_BACKENDS cpu)
set(GPUMINER_WHY_WITHOUT_cpu "not part of this build; install a compiler for x86-64 or ARM64 and configure again")
foreach(backend IN LISTS GPUMINER_OPTIONAL_BACKENDS)
  if(WIN32)
    set(GPUMINER_WHY_WITHOUT_${backend} "not part of the program for Windows yet")
    continue()
  endif()
  string(TOUPPER ${backend} option)
  set(needs "a C++ compiler")
  set(found ON)
  include(${PROJECT_SOURCE_DIR}/${backend}/dependencies.cmake OPTIONAL)
  set(GPUMINER_WHY_WITHOUT_${backend} "not part of this build; install ${needs} and configure again")
  if(GPUMINER_${option} STREQUAL OFF)
    continue()
  elseif(found)
    list(APPEND GPUMINER_BACKENDS ${backend})
  elseif(GPUMINER_${option} STREQUAL AUTO)
    message(STATUS "The ${backend} backend is left out: ${needs} cannot be found")
  else()
    message(FATAL_ERROR "GPUMINER_${option} is ON, but ${needs} cannot be found")
  endif()
endforeach()
set(GPUMINER_GPU_BACKENDS ${GPUMINER_BACKENDS})
list(REMOVE_ITEM GPUMINER_GPU_BACKENDS cpu)
