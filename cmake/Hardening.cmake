# Hardening of the programs, so that a mistake in them is harder to exploit: addresses of functions that are read-only once
# the program runs, canaries on the stack, stacks that cannot jump over their guard page, indirect calls that arrive at
# functions only (on ARM64 also signed return addresses), and sizes that are checked in libc (_FORTIFY_SOURCE, which takes
# an optimising build) and in libstdc++ (_GLIBCXX_ASSERTIONS). Not under sanitizers, which find mistakes instead, and not in
# targets with the property GPUMINER_MEASURED_CODE: nothing but numbers from outside gets there, and their speed is what the
# program is for.
# tests/check_hardening.py looks for all of it in the programs.
define_property(TARGET PROPERTY GPUMINER_MEASURED_CODE)
if(GPUMINER_SANITIZE)
  return()
endif()
if(WIN32)
  # What the linker does by default: addresses that change, and data that cannot be run. libc has no _FORTIFY_SOURCE, and each
  # function touches the pages of its stack in any case. No day is in the program.
  target_compile_options(gpuminer_options INTERFACE
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:GPUMINER_MEASURED_CODE>>>:-D_GLIBCXX_ASSERTIONS;-fstack-protector-strong>")
  target_link_options(gpuminer_options INTERFACE
    -static -fstack-protector-strong LINKER:--dynamicbase,--nxcompat,--high-entropy-va,--no-insert-timestamp)
  return()
endif()
include(CheckCXXCompilerFlag)
set(hardening -D_GLIBCXX_ASSERTIONS)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "GPUMINER_HAS${flag}" has_flag)
  check_cxx_compiler_flag(${flag} ${has_flag})  # the last ones are for x86-64 and for ARM64
  if(${has_flag})
    list(APPEND hardening ${flag})
  endif()
endforeach()
if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  list(APPEND hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)  # (some distributions' compilers define it themselves)
endif()
target_compile_options(gpuminer_options INTERFACE
  "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:GPUMINER_MEASURED_CODE>>>:${hardening}>")
target_link_options(gpuminer_options INTERFACE LINKER:-z,relro,-z,now)
