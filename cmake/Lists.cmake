# The system and the CPU that are compiled for, the lists of instruction sets (cpu/isa_list*.inc), of algorithms and of backends
# (GPUMINER_KNOWN_BACKENDS) as CMake variables, and as what C++ includes:
#
#   GPUMINER_SYSTEM                a word in the names of the files that are for this system alone: NAME_linux.cpp
#   GPUMINER_SYSTEM_API            that of the files for all systems with the same interface: NAME_posix.cpp
#   GPUMINER_ALGORITHMS            those of this build beside SHA-256d: each is a folder, VerusHash's verushash
#   GPUMINER_ARCHITECTURE          that of the CPU that is compiled for: a word in the names of its files
#   GPUMINER_ISAS                  names, in the order of the list, of those for this architecture
#   GPUMINER_BATCH_ISAS            those that sha256d64() has kernels for
#   GPUMINER_ISA_CPU_FLAGS_<isa>   the flags of /proc/cpuinfo that the search needs; empty: none
#   GPUMINER_ISA_SOURCES           the files that are compiled with flags of their own
#   GPUMINER_SEARCH_SOURCES        the files among them that search: written here
#   GPUMINER_ISA_FLAGS_<source>    the flags

# gpuminer_capitalised(RESULT WORD): "Cuda" of "cuda", "Avx2_shani" of "avx2+shani".
function(gpuminer_capitalised result word)
  string(SUBSTRING ${word} 0 1 initial)
  string(TOUPPER ${initial} initial)
  string(SUBSTRING ${word} 1 -1 rest)
  string(REPLACE "+" "_" rest ${rest})
  set(${result} ${initial}${rest} PARENT_SCOPE)
endfunction()

# --- the system and the CPU --------------------------------------------------------------------------------
if(WIN32)
  set(GPUMINER_SYSTEM windows)
  set(GPUMINER_SYSTEM_API windows)
else()
  set(GPUMINER_SYSTEM linux)
  set(GPUMINER_SYSTEM_API posix)
endif()
set(GPUMINER_ALGORITHMS VerusHash)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(architecture x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(architecture arm64)
else()
  message(FATAL_ERROR "gpuminer is for x86-64 and ARM64 processors; this one is ${CMAKE_SYSTEM_PROCESSOR}")
endif()
set(GPUMINER_ARCHITECTURE ${architecture} CACHE INTERNAL "A word in the names of files for one architecture")

# --- instruction sets --------------------------------------------------------------------------------------
# gpuminer_write_search(SOURCE FUNCTION ISA ROW): the source of a form of the search.
function(gpuminer_write_search source function isa row)
  if(NOT row MATCHES "\"([a-z0-9_ ]+)\", ([A-Za-z0-9_<>, ]+)\\)$")
    message(FATAL_ERROR "cpu/isa_list*.inc: this row names no headers or no class: ${row}")
  endif()
  set(class "${CMAKE_MATCH_2}")
  string(REGEX REPLACE "([a-z0-9_]+) ?" "#include \"cpu/scan/\\1.hpp\"\n" includes "${CMAKE_MATCH_1}")
  file(CONFIGURE OUTPUT ${source} CONTENT
"// ${function}(), written by cmake/Lists.cmake.
${includes}
namespace gpuminer::cpu {

void ${function}(ScanArguments& arguments) {
    arguments.scanned_by = \"${isa}\";
    ${class}::scan(arguments);
}

}  // namespace gpuminer::cpu
" @ONLY)
endfunction()

set(rows "")
foreach(file isa_list.inc isa_list_${GPUMINER_ARCHITECTURE}.inc)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cpu/${file})
  file(STRINGS ${PROJECT_SOURCE_DIR}/cpu/${file} rows_of_file REGEX "^GPUMINER_[A-Z]+\\(")
  list(APPEND rows ${rows_of_file})
endforeach()
foreach(row IN LISTS rows)
  if(row MATCHES "^GPUMINER_FEATURE\\(([a-z0-9_]+), ([a-z0-9_ ]+), \"([^\"]*)\", ")
    string(REPLACE " " ";" feature_cpu_flags_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    separate_arguments(feature_flags_${CMAKE_MATCH_1} UNIX_COMMAND "${CMAKE_MATCH_3}")
  elseif(row MATCHES "^GPUMINER_ISA\\(([a-z0-9_+]+), ")
    list(APPEND GPUMINER_ISAS ${CMAKE_MATCH_1})
  elseif(row MATCHES "^GPUMINER_(SEARCH|BATCH|MESSAGES?)\\(([a-z0-9_+]+), ([a-z0-9_]+), ([a-z0-9_]+), ")
    set(kind ${CMAKE_MATCH_1})
    set(isa ${CMAKE_MATCH_2})
    set(function ${CMAKE_MATCH_3})
    set(feature ${CMAKE_MATCH_4})
    if(kind STREQUAL SEARCH)
      set(source ${PROJECT_BINARY_DIR}/generated/${function}.cpp)
      gpuminer_write_search(${source} ${function} ${isa} "${row}")
      list(APPEND GPUMINER_SEARCH_SOURCES ${source})
      if(NOT DEFINED GPUMINER_ISA_CPU_FLAGS_${isa})  # that of the first form
        set(GPUMINER_ISA_CPU_FLAGS_${isa} ${feature_cpu_flags_${feature}})
      endif()
    elseif(kind MATCHES "^MESSAGE")
      set(source ${PROJECT_SOURCE_DIR}/cpu/batch/${function}.cpp)
      if(NOT EXISTS ${source})
        set(source ${PROJECT_SOURCE_DIR}/cpu/batch/messages_${isa}.cpp)
      endif()
    else()
      set(source ${PROJECT_SOURCE_DIR}/cpu/batch/sha256d64_${isa}.cpp)
      list(APPEND GPUMINER_BATCH_ISAS ${isa})
    endif()
    if(NOT "${GPUMINER_ISA_FLAGS_${source}}" STREQUAL "${feature_flags_${feature}}" AND source IN_LIST GPUMINER_ISA_SOURCES)
      message(FATAL_ERROR "cpu/isa_list*.inc: this row needs a file of its own, as its flags are others than those of ${source}: ${row}")
    endif()
    list(APPEND GPUMINER_ISA_SOURCES ${source})
    set(GPUMINER_ISA_FLAGS_${source} ${feature_flags_${feature}})
  else()
    message(FATAL_ERROR "cpu/isa_list*.inc: this row cannot be read: ${row}")
  endif()
endforeach()
list(REMOVE_DUPLICATES GPUMINER_ISA_SOURCES)
list(REMOVE_DUPLICATES GPUMINER_BATCH_ISAS)

# --- for C++ -----------------------------------------------------------------------------------------------
# gpuminer_lists.hpp: the names as text. The help is the same everywhere, so it has those of every architecture.
list(JOIN GPUMINER_ISAS ", " isa_names)
foreach(architecture x86 arm64)
  set(isas_${architecture} scalar)
  file(STRINGS ${PROJECT_SOURCE_DIR}/cpu/isa_list_${architecture}.inc rows REGEX "^GPUMINER_ISA\\(")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^GPUMINER_ISA\\(([a-z0-9_+]+), .*" ", \\1" name ${row})
    string(APPEND isas_${architecture} ${name})
  endforeach()
endforeach()
list(JOIN GPUMINER_KNOWN_BACKENDS ", " backend_names)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gpuminer_lists.hpp CONTENT
"// Generated by cmake/Lists.cmake.
#pragma once

#define GPUMINER_ISA_NAMES \"@isa_names@\"
#define GPUMINER_ISA_NAMES_OF_ALL \"@isas_x86@; on ARM64 @isas_arm64@\"
#define GPUMINER_BACKEND_NAMES \"@backend_names@\"
" @ONLY)

# gpuminer_backends.inc: GPUMINER_BACKEND(kCudaBackend) for each backend of this build.
# gpuminer_known_backends.inc: GPUMINER_KNOWN_BACKEND(Cuda, "cuda", "why a build may be without it") for every one.
set(built "")
set(known "")
foreach(backend IN LISTS GPUMINER_KNOWN_BACKENDS)
  gpuminer_capitalised(capitalised ${backend})
  string(APPEND known "GPUMINER_KNOWN_BACKEND(${capitalised}, \"${backend}\", \"${GPUMINER_WHY_WITHOUT_${backend}}\")\n")
  if(backend IN_LIST GPUMINER_BACKENDS)
    string(APPEND built "GPUMINER_BACKEND(k${capitalised}Backend)\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gpuminer_backends.inc CONTENT "${built}" @ONLY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gpuminer_known_backends.inc CONTENT "${known}" @ONLY)

# gpuminer_algorithms.inc: GPUMINER_ALGORITHM(VerusHash) for each but SHA-256d.
list(TRANSFORM GPUMINER_ALGORITHMS REPLACE ".+" "GPUMINER_ALGORITHM(\\0)\n" OUTPUT_VARIABLE algorithms)
list(JOIN algorithms "" algorithms)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gpuminer_algorithms.inc CONTENT "${algorithms}" @ONLY)

# gpuminer_every_isa.hpp, gpuminer_every_batch.hpp, gpuminer_every_backend.hpp: a type for each, so that each has tests of its own
# (TEMPLATE_TEST_CASE).
function(gpuminer_write_types what)
  set(types "")
  foreach(name IN LISTS ARGN)
    gpuminer_capitalised(type ${name})
    list(APPEND type_names ${what}::${type})
    string(APPEND types "struct ${type} {\n    static constexpr const char* kName = \"${name}\";\n};\n")
  endforeach()
  list(JOIN type_names ", " all)
  string(TOUPPER ${what} macro)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gpuminer_every_${what}.hpp CONTENT
"// Generated by cmake/Lists.cmake.
#pragma once

namespace gpuminer::test::@what@ {
@types@}  // namespace gpuminer::test::@what@
#define GPUMINER_EVERY_@macro@ @all@
" @ONLY)
endfunction()
gpuminer_write_types(isa ${GPUMINER_ISAS})
gpuminer_write_types(batch ${GPUMINER_BATCH_ISAS})
gpuminer_write_types(backend ${GPUMINER_KNOWN_BACKENDS})
