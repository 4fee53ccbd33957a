# Functions with which the folders under tests/ declare their programs.

# For every test. What they remember of this machine's devices stays in the build folder, and no configuration of this
# machine is read; LeakSanitizer is told of what drivers leak, and ThreadSanitizer of false alarms; AddressSanitizer
# does not use alternate signal stacks, as at a thread's end it would take the one that a driver's compiler (LLVM) has put
# there for its own; nor does it watch thread-local storage of loaded libraries, as runtimes before GCC 14 and LLVM 17 take a
# block at a certain address for one of an old glibc and crash when they read it (github.com/google/sanitizers/issues/1322).
set(GPUMINER_TEST_ENVIRONMENT
  GPUMINER_NO_CONFIG=1
  XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/test-cache
  LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/leaks_of_drivers.txt:print_suppressions=0
  TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/races_of_libraries.txt
  ASAN_OPTIONS=use_sigaltstack=0:intercept_tls_get_addr=0)

if(GPUMINER_SANITIZE MATCHES address)
  add_library(keep_drivers SHARED ${PROJECT_SOURCE_DIR}/tests/keep_drivers.cpp)
  set_target_properties(keep_drivers PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  list(APPEND GPUMINER_TEST_ENVIRONMENT LD_PRELOAD=${PROJECT_BINARY_DIR}/libkeep_drivers.so)
  list(TRANSFORM GPUMINER_TEST_ENVIRONMENT APPEND ":verify_asan_link_order=0" REGEX "^ASAN_OPTIONS=")
endif()

# Test sources take half the time to compile without optimisation, and less without the checks of each pointer (null is
# found by AddressSanitizer, too). Tests that compute in loops of their own get -O1; under sanitizers only those that are
# OPTIMISED, as for the others compiling would take longer than is won. To be linked last: the last option counts.
add_library(gpuminer_test_options INTERFACE)
target_compile_options(gpuminer_test_options INTERFACE -O0 -U_FORTIFY_SOURCE)
add_library(gpuminer_computing_test_options INTERFACE)
if(GPUMINER_SANITIZE)
  target_compile_options(gpuminer_computing_test_options INTERFACE -O0)
else()
  target_compile_options(gpuminer_computing_test_options INTERFACE -O1)
endif()
if(GPUMINER_SANITIZE MATCHES undefined)
  foreach(options gpuminer_test_options gpuminer_computing_test_options)
    target_compile_options(${options} INTERFACE -fno-sanitize=null,alignment)
  endforeach()
endif()

if(CMAKE_CROSSCOMPILING)
  list(APPEND GPUMINER_TEST_ENVIRONMENT GPUMINER_EMULATED=1)  # what waits for a program has more patience
endif()

# gpuminer_runnable(RESULT TARGET): the path of what runs a program, for tests that start it by themselves: the program, or
# where that is for another architecture a script by which an emulator runs it.
function(gpuminer_runnable result target)
  set(path $<TARGET_FILE:${target}>)
  if(CMAKE_CROSSCOMPILING)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    get_property(generated GLOBAL PROPERTY GPUMINER_EMULATED)
    if(NOT target IN_LIST generated)
      set_property(GLOBAL APPEND PROPERTY GPUMINER_EMULATED ${target})
      file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/emulated/${target} CONTENT "#!/bin/sh\nexec ${emulator} ${path} \"$@\"\n"
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    endif()
    set(path ${PROJECT_BINARY_DIR}/emulated/${target})
  endif()
  set(${result} ${path} PARENT_SCOPE)
endfunction()

# gpuminer_add_test(NAME <name> LABELS <label>... SOURCES <file>... [LIBS <target>...] [ENVIRONMENT <VAR=value>...]
#                   [OPTIMISED] [TIMEOUT <seconds>])
#
# A Catch2 program. Each of its test cases becomes one ctest test with the labels given: `unit`, `kernel` or `backends`,
# and `thread` in addition where it tests threaded code (those also run under ThreadSanitizer). The other labels are
# given where such tests are declared: `cli` in tests/cli, `live` and `soak` in tests/live, `portable` in
# cmake/Portable.cmake, `fuzz` in tests/fuzz. A test case that cannot run on this machine prints a line with the word SKIPPED
# and the reason; ctest then counts it as skipped, not as passed. tests/steps.sh has ctest run four tests for each core
# at a time; those that compute count as two, those of threaded code, which wait for one another most of the time, as
# one.
function(gpuminer_add_test)
  cmake_parse_arguments(arg "OPTIMISED" "NAME;TIMEOUT" "LABELS;SOURCES;LIBS;ENVIRONMENT" ${ARGN})
  if(WIN32 AND NOT arg_NAME IN_LIST GPUMINER_WINDOWS_TESTS)  # tests/windows has those that run there
    return()
  endif()
  if(WIN32 OR (NOT GPUMINER_UNIT_TESTS AND "unit" IN_LIST arg_LABELS))
    add_executable(${arg_NAME} EXCLUDE_FROM_ALL ${arg_SOURCES})
  else()
    add_executable(${arg_NAME} ${arg_SOURCES})
    set(discover yes)
  endif()
  set(options gpuminer_test_options)
  if(arg_OPTIMISED AND GPUMINER_SANITIZE)
    set(options "")
    target_compile_options(${arg_NAME} PRIVATE -O1)
  elseif("kernel" IN_LIST arg_LABELS OR "backends" IN_LIST arg_LABELS)
    set(options gpuminer_computing_test_options)
  elseif(arg_OPTIMISED)
    set(options "")
  endif()
  # Catch2 last: of inline functions that several objects have the linker takes the first, and Catch2 is not optimised.
  target_link_libraries(${arg_NAME} PRIVATE gpuminer_options ${arg_LIBS} gpuminer_catch ${options})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
    if(CMAKE_CROSSCOMPILING)  # under an emulator the longest take minutes where no other test runs
      set(arg_TIMEOUT 3600)
    endif()
  endif()
  set(processors 2)
  if("thread" IN_LIST arg_LABELS)
    set(processors 1)
    set_property(GLOBAL APPEND PROPERTY GPUMINER_THREAD_TESTS ${arg_NAME})
  endif()

  if(NOT discover)
    return()
  endif()
  catch_discover_tests(${arg_NAME} TEST_PREFIX ${arg_NAME}/ WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set(environment ${GPUMINER_TEST_ENVIRONMENT} ${arg_ENVIRONMENT})
  # catch_discover_tests() cannot pass on a list of labels; ctest reads this file after the list of test cases.
  set(properties_file ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_properties.cmake)
  file(WRITE ${properties_file}
    "foreach(test IN LISTS ${arg_NAME}_TESTS)\n"
    "  if(NOT test MATCHES \"^${arg_NAME}/\")\n"  # of a name that was cut in two neither part would run
    "    message(FATAL_ERROR \"${arg_NAME}: expected names of tests without semicolons, got '\${test}'\")\n"
    "  endif()\n"
    "  set_tests_properties(\"\${test}\" PROPERTIES\n"
    "    LABELS \"${arg_LABELS}\" PROCESSORS ${processors} SKIP_REGULAR_EXPRESSION SKIPPED TIMEOUT ${arg_TIMEOUT}\n"
    "    ENVIRONMENT \"${environment}\")\n"
    "endforeach()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties_file})
endfunction()
