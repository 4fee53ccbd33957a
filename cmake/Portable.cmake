# Portable programs: all libraries linked statically but for libc's own, so that they run on another machine. They have
# the property GPUMINER_LINK_STATICALLY, by which Dependencies.cmake chooses libraries; their objects are those of any build.
if(GPUMINER_PORTABLE STREQUAL "AUTO" AND GPUMINER_SANITIZE)
  set(GPUMINER_PORTABLE OFF)
elseif(GPUMINER_PORTABLE AND NOT GPUMINER_PORTABLE MATCHES "^(ALSO|AUTO)$")
  set(GPUMINER_LINK_STATICALLY ON)
endif()
define_property(TARGET PROPERTY GPUMINER_LINK_STATICALLY INITIALIZE_FROM_VARIABLE GPUMINER_LINK_STATICALLY)

# In the interface of a library: whether the program that is being linked is a portable one.
set(GPUMINER_IS_PORTABLE $<BOOL:$<TARGET_PROPERTY:GPUMINER_LINK_STATICALLY>>)
target_link_options(gpuminer_options INTERFACE
  $<${GPUMINER_IS_PORTABLE}:-static-libstdc++> $<${GPUMINER_IS_PORTABLE}:-static-libgcc>)

# gpuminer_choose(TARGET SHARED <library>... STATIC <name>...): links the libraries SHARED, or in portable programs the
# targets or static libraries lib<NAME>.a, in this order. libc's own parts stay shared, and udev has no archive.
function(gpuminer_choose target)
  cmake_parse_arguments(arg "" "" "SHARED;STATIC" ${ARGN})
  foreach(library IN LISTS arg_SHARED)
    target_link_libraries(${target} INTERFACE $<$<NOT:${GPUMINER_IS_PORTABLE}>:${library}>)
  endforeach()
  if(NOT GPUMINER_PORTABLE)
    return()
  endif()
  foreach(name IN LISTS arg_STATIC)
    if(name STREQUAL udev)
      continue()
    elseif(NOT TARGET ${name} AND NOT name MATCHES "^(dl|m|pthread|rt)$")
      find_library(GPUMINER_ARCHIVE_${name} lib${name}.a)
      mark_as_advanced(GPUMINER_ARCHIVE_${name})
      if(NOT GPUMINER_ARCHIVE_${name})
        if(NOT GPUMINER_PORTABLE STREQUAL "AUTO")
          message(FATAL_ERROR "GPUMINER_PORTABLE is ${GPUMINER_PORTABLE}, but lib${name}.a cannot be found")
        endif()
        set_property(GLOBAL APPEND PROPERTY GPUMINER_MISSING_ARCHIVES lib${name}.a)
        continue()
      endif()
      set(name ${GPUMINER_ARCHIVE_${name}})
    endif()
    target_link_libraries(${target} INTERFACE $<${GPUMINER_IS_PORTABLE}:${name}>)
  endforeach()
endfunction()

# gpuminer_add_portable(PROGRAM...): with GPUMINER_PORTABLE=ALSO links the objects of each program once more, as the target
# PROGRAM-portable, into portable/PROGRAM; with AUTO those of the first one, when something asks for that target. Else adds
# tests that portable programs are what they should be.
function(gpuminer_add_portable)
  get_property(missing GLOBAL PROPERTY GPUMINER_MISSING_ARCHIVES)
  if(NOT GPUMINER_PORTABLE OR missing)
    return()
  endif()
  foreach(program IN LISTS ARGN)
    set(portable ${program})
    if(NOT GPUMINER_LINK_STATICALLY)
      set(portable ${program}-portable)
      get_target_property(objects ${program} SOURCES)  # those of other targets are not among TARGET_OBJECTS
      list(FILTER objects INCLUDE REGEX "^\\$<TARGET_OBJECTS:")
      add_executable(${portable} $<TARGET_OBJECTS:${program}> ${objects})
      get_target_property(libraries ${program} LINK_LIBRARIES)
      target_link_libraries(${portable} PRIVATE ${libraries})
      set_target_properties(${portable} PROPERTIES GPUMINER_LINK_STATICALLY ON LINKER_LANGUAGE CXX
        OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable)
    endif()
    if(GPUMINER_PORTABLE STREQUAL "AUTO")
      set_target_properties(${portable} PROPERTIES EXCLUDE_FROM_ALL ON)
      return()
    endif()
    add_test(NAME portable_${program} COMMAND ${PROJECT_SOURCE_DIR}/tests/check_portable.sh $<TARGET_FILE:${portable}>)
    set_tests_properties(portable_${program} PROPERTIES LABELS portable)
    if(program STREQUAL "gpuminer")  # the others are for measurements and tests
      add_test(NAME portable_hardening
        COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/check_hardening.py $<TARGET_FILE:${portable}>)
      set_tests_properties(portable_hardening PROPERTIES LABELS portable)
    endif()
  endforeach()
endfunction()
