# The libraries that the project uses, each behind one interface target, so that no other CMake file asks
# where a library comes from or whether a program is a portable one (gpuminer_choose() of Portable.cmake):
#
#   gpuminer_deps_crypto    OpenSSL's libcrypto      gpuminer_deps_json       nlohmann-json
#   gpuminer_deps_ssl       OpenSSL's libssl, too    gpuminer_deps_boost      Boost.Asio and Boost.Beast, with TLS
#   gpuminer_deps_psl       libpsl                   gpuminer_deps_sodium     libsodium
#   gpuminer_deps_hwloc     hwloc                    gpuminer_deps_cli11      CLI11
#   gpuminer_deps_spdlog    spdlog and fmt           gpuminer_deps_toml       toml++
#   gpuminer_deps_qr        QR-Code-generator (C++)

find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

foreach(name crypto ssl boost psl sodium hwloc qr spdlog json cli11 toml)
  add_library(gpuminer_deps_${name} INTERFACE)
endforeach()

# --- OpenSSL -----------------------------------------------------------------------------------------------
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)
if(GPUMINER_PORTABLE)
  # By pkg-config, which knows what this libcrypto.a needs in its turn (Debian 13's: zlib and zstd).
  pkg_check_modules(CRYPTO REQUIRED libcrypto>=3)
  pkg_check_modules(SSL REQUIRED libssl>=3)
endif()
gpuminer_choose(gpuminer_deps_crypto SHARED OpenSSL::Crypto STATIC ${CRYPTO_STATIC_LIBRARIES})
gpuminer_choose(gpuminer_deps_ssl SHARED OpenSSL::SSL OpenSSL::Crypto STATIC ${SSL_STATIC_LIBRARIES})
foreach(name crypto ssl)
  target_include_directories(gpuminer_deps_${name} SYSTEM INTERFACE ${OPENSSL_INCLUDE_DIR})
endforeach()

# --- the network -------------------------------------------------------------------------------------------
# Headers only; net/transport/boost.cpp compiles what is in them once.
find_package(Boost 1.74 CONFIG REQUIRED)
target_compile_definitions(gpuminer_deps_boost INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  # Beast 1.74 asserts what a peer can violate: that a reply's last chunk does not come byte by byte.
  BOOST_DISABLE_ASSERTS)
target_link_libraries(gpuminer_deps_boost INTERFACE Boost::headers gpuminer_deps_ssl Threads::Threads)
if(GPUMINER_SANITIZE MATCHES thread)
  # ThreadSanitizer knows nothing of fences, and GCC warns of them. Asio's scheduler has a mutex in any case.
  target_compile_definitions(gpuminer_deps_boost INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  target_compile_options(gpuminer_deps_boost INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()

pkg_check_modules(PSL REQUIRED IMPORTED_TARGET libpsl)
# (libpsl.pc does not name what libpsl.a needs.)
gpuminer_choose(gpuminer_deps_psl SHARED PkgConfig::PSL STATIC psl idn2 unistring)
target_include_directories(gpuminer_deps_psl SYSTEM INTERFACE ${PSL_INCLUDE_DIRS})

# --- BLAKE2b -----------------------------------------------------------------------------------------------
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
gpuminer_choose(gpuminer_deps_sodium SHARED PkgConfig::SODIUM STATIC sodium)
target_include_directories(gpuminer_deps_sodium SYSTEM INTERFACE ${SODIUM_INCLUDE_DIRS})

# --- QR codes ----------------------------------------------------------------------------------------------
pkg_check_modules(QR REQUIRED IMPORTED_TARGET qrcodegencpp)
gpuminer_choose(gpuminer_deps_qr SHARED PkgConfig::QR STATIC qrcodegencpp)
target_include_directories(gpuminer_deps_qr SYSTEM INTERFACE ${QR_INCLUDE_DIRS})

# --- hwloc -------------------------------------------------------------------------------------------------
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
if(GPUMINER_PORTABLE)
  add_library(gpuminer_no_udev STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/no_udev.cpp)
endif()
gpuminer_choose(gpuminer_deps_hwloc SHARED PkgConfig::HWLOC STATIC ${HWLOC_STATIC_LIBRARIES} gpuminer_no_udev)
target_include_directories(gpuminer_deps_hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIRS})

# --- spdlog and fmt ----------------------------------------------------------------------------------------
# Distributions ship both as shared libraries only. One source file uses spdlog: its header-only form will do. (Not by
# linking spdlog::spdlog_header_only, which pulls in the shared libfmt.) Many use fmt: portable programs have its
# compiled part from the same headers.
find_package(fmt CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
if(GPUMINER_PORTABLE)
  add_library(gpuminer_fmt STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/fmt_library.cpp)
  foreach(what INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
    set_property(TARGET gpuminer_fmt PROPERTY ${what} $<TARGET_PROPERTY:fmt::fmt,INTERFACE_${what}>)
  endforeach()
endif()
gpuminer_choose(gpuminer_deps_spdlog SHARED fmt::fmt STATIC gpuminer_fmt)
target_link_libraries(gpuminer_deps_spdlog INTERFACE Threads::Threads)
foreach(library fmt::fmt spdlog::spdlog_header_only)
  target_compile_definitions(gpuminer_deps_spdlog INTERFACE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
  target_include_directories(gpuminer_deps_spdlog SYSTEM INTERFACE
    $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()

# --- headers only ------------------------------------------------------------------------------------------
find_package(nlohmann_json CONFIG REQUIRED)
target_link_libraries(gpuminer_deps_json INTERFACE nlohmann_json::nlohmann_json)
find_package(CLI11 CONFIG REQUIRED)
target_link_libraries(gpuminer_deps_cli11 INTERFACE CLI11::CLI11)
# (Not by linking tomlplusplus::tomlplusplus, which distributions make a shared library.)
find_package(tomlplusplus 3.3 CONFIG REQUIRED)
target_include_directories(gpuminer_deps_toml SYSTEM INTERFACE
  $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(gpuminer_deps_toml INTERFACE TOML_HEADER_ONLY=1 TOML_EXCEPTIONS=0 TOML_ENABLE_FORMATTERS=0)
