# The libraries that the project uses, each behind one interface target, so that no other CMake file asks
# where a library comes from or whether this build is the portable one (all of them linked statically):
#
#   gpuminer_deps_crypto    OpenSSL's libcrypto      gpuminer_deps_json       nlohmann-json
#   gpuminer_deps_hwloc     hwloc                    gpuminer_deps_cli11      CLI11
#   gpuminer_deps_spdlog    spdlog and fmt           gpuminer_deps_benchmark  Google Benchmark (with GPUMINER_BENCH)

find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

foreach(name crypto hwloc spdlog json cli11)
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
  pkg_check_modules(CRYPTO REQUIRED libcrypto>=3)
  link_archives(gpuminer_deps_crypto ${CRYPTO_STATIC_LIBRARIES})
  target_include_directories(gpuminer_deps_crypto SYSTEM INTERFACE ${CRYPTO_INCLUDE_DIRS})
else()
  find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)
  target_link_libraries(gpuminer_deps_crypto INTERFACE OpenSSL::Crypto)
endif()

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

# --- benchmarks --------------------------------------------------------------------------------------------
if(GPUMINER_BENCH)
  find_package(benchmark CONFIG REQUIRED)
  add_library(gpuminer_deps_benchmark INTERFACE)
  target_link_libraries(gpuminer_deps_benchmark INTERFACE benchmark::benchmark)
endif()
