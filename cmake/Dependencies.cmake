# The libraries that the project uses, each behind one interface target, so that no other CMake file asks
# where a library comes from or whether this build is the portable one (all of them linked statically):
#
#   gpuminer_deps_crypto    OpenSSL's libcrypto      gpuminer_deps_json       nlohmann-json
#   gpuminer_deps_ssl       OpenSSL's libssl, too    gpuminer_deps_asio       Asio without Boost, with TLS
#   gpuminer_deps_httplib   cpp-httplib with TLS (the copy in third_party/)
#   gpuminer_deps_hwloc     hwloc                    gpuminer_deps_cli11      CLI11
#   gpuminer_deps_spdlog    spdlog and fmt           gpuminer_deps_BACKEND    what a GPU API takes
#
# Sets GPUMINER_BACKENDS, those of the known backends that this build has, and GPUMINER_GPU_BACKENDS, the same without cpu.

find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

foreach(name crypto ssl asio httplib hwloc spdlog json cli11)
  add_library(gpuminer_deps_${name} INTERFACE)
endforeach()

# link_archives(TARGET NAME...): links the static libraries lib<NAME>.a, in this order. libc's own parts stay
# shared, and udev has no archive.
function(link_archives target)
  foreach(name IN LISTS ARGN)
    if(name MATCHES "^(dl|m|pthread|rt)$")
      target_link_libraries(${target} INTERFACE ${name})
    elseif(NOT name STREQUAL udev)
      find_library(GPUMINER_ARCHIVE_${name} lib${name}.a REQUIRED)
      mark_as_advanced(GPUMINER_ARCHIVE_${name})
      target_link_libraries(${target} INTERFACE ${GPUMINER_ARCHIVE_${name}})
    endif()
  endforeach()
endfunction()

# --- OpenSSL -----------------------------------------------------------------------------------------------
if(GPUMINER_PORTABLE)
  # By pkg-config, which knows what this libcrypto.a needs in its turn (Debian 13's: zlib and zstd).
  foreach(name crypto ssl)
    string(TOUPPER ${name} module)
    pkg_check_modules(${module} REQUIRED lib${name}>=3)
    link_archives(gpuminer_deps_${name} ${${module}_STATIC_LIBRARIES})
    target_include_directories(gpuminer_deps_${name} SYSTEM INTERFACE ${${module}_INCLUDE_DIRS})
  endforeach()
else()
  find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)
  target_link_libraries(gpuminer_deps_crypto INTERFACE OpenSSL::Crypto)
  target_link_libraries(gpuminer_deps_ssl INTERFACE OpenSSL::SSL OpenSSL::Crypto)
endif()

# --- the network -------------------------------------------------------------------------------------------
find_path(ASIO_INCLUDE_DIR asio.hpp)
if(NOT ASIO_INCLUDE_DIR)
  message(FATAL_ERROR "asio.hpp (Asio without Boost, libasio-dev) cannot be found")
endif()
mark_as_advanced(ASIO_INCLUDE_DIR)
target_include_directories(gpuminer_deps_asio SYSTEM INTERFACE ${ASIO_INCLUDE_DIR})
target_compile_definitions(gpuminer_deps_asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED)
target_link_libraries(gpuminer_deps_asio INTERFACE gpuminer_deps_ssl Threads::Threads)
if(GPUMINER_SANITIZE MATCHES thread)
  # ThreadSanitizer knows nothing of fences, and GCC warns of them. Asio's scheduler has a mutex in any case.
  target_compile_definitions(gpuminer_deps_asio INTERFACE ASIO_DISABLE_FENCED_BLOCK)
  target_compile_options(gpuminer_deps_asio INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()

# Not the distribution's, which is a shared library, and of another interface from one release to the next.
target_include_directories(gpuminer_deps_httplib SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/third_party/cpp-httplib)
target_compile_definitions(gpuminer_deps_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT)
target_link_libraries(gpuminer_deps_httplib INTERFACE gpuminer_deps_ssl Threads::Threads)

# --- hwloc -------------------------------------------------------------------------------------------------
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
if(GPUMINER_PORTABLE)
  add_library(gpuminer_no_udev STATIC ${PROJECT_SOURCE_DIR}/cmake/no_udev.cpp)
  link_archives(gpuminer_deps_hwloc ${HWLOC_STATIC_LIBRARIES})
  target_link_libraries(gpuminer_deps_hwloc INTERFACE gpuminer_no_udev)
  target_include_directories(gpuminer_deps_hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIRS})
else()
  target_link_libraries(gpuminer_deps_hwloc INTERFACE PkgConfig::HWLOC)
endif()

# --- spdlog and fmt ----------------------------------------------------------------------------------------
find_package(fmt CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
if(GPUMINER_PORTABLE)
  # Distributions ship both as shared libraries only; the header-only forms are static by nature. (Not by
  # linking spdlog::spdlog_header_only, which pulls in the shared libfmt.)
  target_link_libraries(gpuminer_deps_spdlog INTERFACE fmt::fmt-header-only Threads::Threads)
  target_compile_definitions(gpuminer_deps_spdlog INTERFACE
    $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_COMPILE_DEFINITIONS>)
  target_include_directories(gpuminer_deps_spdlog SYSTEM INTERFACE
    $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  target_link_libraries(gpuminer_deps_spdlog INTERFACE spdlog::spdlog fmt::fmt)
endif()

# --- headers only ------------------------------------------------------------------------------------------
find_package(nlohmann_json CONFIG REQUIRED)
target_link_libraries(gpuminer_deps_json INTERFACE nlohmann_json::nlohmann_json)
find_package(CLI11 CONFIG REQUIRED)
target_link_libraries(gpuminer_deps_cli11 INTERFACE CLI11::CLI11)

# --- backends ----------------------------------------------------------------------------------------------
# FOLDER/dependencies.cmake looks for what a backend takes to build, if it takes more than the rest: it sets `needs` (in
# words, for users) and `found`, and defines the interface target gpuminer_deps_FOLDER. Libraries of GPU APIs are opened at
# run time (CUDA's is linked statically), so building takes headers and compilers only.
set(GPUMINER_BACKENDS cpu)
set(GPUMINER_NEEDS_OF_cpu "a compiler for x86-64")
foreach(backend IN LISTS GPUMINER_OPTIONAL_BACKENDS)
  string(TOUPPER ${backend} option)
  set(needs "a C++ compiler")
  set(found ON)
  include(${PROJECT_SOURCE_DIR}/${backend}/dependencies.cmake OPTIONAL)
  set(GPUMINER_NEEDS_OF_${backend} ${needs})
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
