# gpuminer_build_info.hpp in the build folder: the program's source, compiler and flags. Included at configure time,
# this file declares the target that keeps the header fresh (the commit can change without a new configuration); run as
# a script (cmake -P) it writes the header, and only when something changed.

if(CMAKE_SCRIPT_MODE_FILE)
  # Given by who builds it (-D GPUMINER_COMMIT=), or written into a source archive by git, or asked of git: only when this
  # folder itself is a checkout, as an unpacked archive may lie inside somebody's repository. Where git is not installed, its
  # files tell the commit (gitrepository-layout(5)), but not whether sources have changed since.
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt archived REGEX "^[0-9a-f]+$")
  if(GPUMINER_COMMIT)
  elseif(archived)
    string(SUBSTRING ${archived} 0 12 GPUMINER_COMMIT)
  elseif(EXISTS ${SOURCE_DIR}/.git)
    execute_process(
      COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE described RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed AND described)
      set(GPUMINER_COMMIT ${described})
    elseif(failed MATCHES "[^0-9]" AND EXISTS ${SOURCE_DIR}/.git/HEAD)  # not a status: git could not be started
      file(READ ${SOURCE_DIR}/.git/HEAD head)
      if(head MATCHES "^ref: ([^\n]+)")
        set(branch ${CMAKE_MATCH_1})
        set(head "")
        if(EXISTS ${SOURCE_DIR}/.git/${branch})
          file(READ ${SOURCE_DIR}/.git/${branch} head)
        elseif(EXISTS ${SOURCE_DIR}/.git/packed-refs)
          file(STRINGS ${SOURCE_DIR}/.git/packed-refs refs)
          foreach(ref IN LISTS refs)
            if(ref MATCHES "^[0-9a-f]+ (.+)$" AND CMAKE_MATCH_1 STREQUAL branch)
              set(head ${ref})
            endif()
          endforeach()
        endif()
      endif()
      if(head MATCHES "^([0-9a-f]+)")
        string(SUBSTRING ${CMAKE_MATCH_1} 0 12 GPUMINER_COMMIT)
      endif()
    endif()
  endif()
  if(NOT GPUMINER_COMMIT)
    set(GPUMINER_COMMIT "unknown")
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/gpuminer_build_info.hpp.in ${OUTPUT} @ONLY)
  return()
endif()

set(GPUMINER_COMMIT "" CACHE STRING "The commit that --version says; empty: git's")
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" build_flags)
if(GPUMINER_PORTABLE STREQUAL "ON")
  string(APPEND build_flags " portable")
endif()
if(GPUMINER_SANITIZE)
  string(APPEND build_flags " -fsanitize=${GPUMINER_SANITIZE}")
endif()
string(REGEX REPLACE "-f[a-z]+-prefix-map=[^ ]+" "" build_flags "${build_flags}")  # they name folders of this machine, to keep them out
string(REGEX REPLACE " +" " " build_flags "${build_flags}")

set(write_build_info
  ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR} -D OUTPUT=${PROJECT_BINARY_DIR}/gpuminer_build_info.hpp
  -D GPUMINER_COMMIT=${GPUMINER_COMMIT} -D GPUMINER_VERSION=${PROJECT_VERSION} -D GPUMINER_COMPILER=${CMAKE_CXX_COMPILER_ID}\ ${CMAKE_CXX_COMPILER_VERSION}
  -D GPUMINER_FLAGS=${build_flags} -P ${CMAKE_CURRENT_LIST_FILE})
execute_process(COMMAND ${write_build_info})  # at once as well: tools that only read compile_commands.json need it
add_custom_target(gpuminer_build_info COMMAND ${write_build_info} VERBATIM
  BYPRODUCTS ${PROJECT_BINARY_DIR}/gpuminer_build_info.hpp)
add_dependencies(gpuminer_options gpuminer_build_info)
