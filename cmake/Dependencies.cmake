# The libraries that the project uses, each behind one interface target, so that no other CMake file asks
# where a library comes from or whether a program is a portable one (gpuminer_choose() of Portable.cmake):
#
#   gpuminer_deps_crypto    OpenSSL's libcrypto      gpuminer_deps_json       nlohmann-json
#   gpuminer_deps_ssl       OpenSSL's libssl, too    gpuminer_deps_asio       Asio without Boost, with TLS
#   gpuminer_deps_httplib   cpp-httplib with TLS (the copy in third_party/)
#   gpuminer_deps_hwloc     hwloc                    gpuminer_deps_cli11      CLI11
#   gpuminer_deps_spdlog    spdlog and fmt           gpuminer_deps_vulkan     Vulkan headers
#   gpuminer_deps_cuda      CUDA's runtime library   gpuminer_deps_opencl     OpenCL headers
#
# Sets GPUMINER_GPU_BACKENDS: those of cuda, opencl and vulkan that this build has.

find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

foreach(name crypto ssl asio httplib hwloc spdlog json cli11)
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
  add_library(gpuminer_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt_library.cpp)
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

# --- GPU APIs, each optional -------------------------------------------------------------------------------
# Their libraries are opened at run time (CUDA's is linked statically), so building needs headers and compilers only.

# gpu_backend(NAME FOUND WHAT): adds the backend to the list, or says what is missing.
function(gpu_backend name found what)
  string(TOUPPER ${name} option)
  if(GPUMINER_${option} STREQUAL "OFF")
    return()
  elseif(found)
    set(GPUMINER_GPU_BACKENDS ${GPUMINER_GPU_BACKENDS} ${name} PARENT_SCOPE)
  elseif(GPUMINER_${option} STREQUAL "AUTO")
    message(STATUS "The ${name} backend is left out: ${what} not found")
  else()
    message(FATAL_ERROR "GPUMINER_${option} is ON, but ${what} cannot be found")
  endif()
endfunction()
set(GPUMINER_GPU_BACKENDS "")

# CUDA: an nvcc that works, named by CUDACXX, in PATH, where NVIDIA's packages put it, or where bootstrap.sh does.
# (find_package(CUDAToolkit) wants the whole toolkit; the compiler and the runtime library are enough.)
set(GPUMINER_CUDA_ARCHITECTURES "" CACHE STRING
  "GPU generations to build for, as CMAKE_CUDA_ARCHITECTURES; empty: all that the compiler knows from 7.5 on, and PTX")
set(cuda_found OFF)
if(NOT GPUMINER_CUDA STREQUAL "OFF")
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)  # an earlier search's failure: there may be one now
    find_program(GPUMINER_NVCC nvcc
      PATHS /usr/local/cuda/bin ${PROJECT_SOURCE_DIR}/build/cuda-toolkit/nvidia/cu13/bin)
    mark_as_advanced(GPUMINER_NVCC)
    if(GPUMINER_NVCC AND NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} ${GPUMINER_NVCC})
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER)
    set(cuda_found ON)
  endif()
endif()
if(cuda_found)
  # PTX for the oldest generation: the driver compiles it for any GPU that none of the others is for. What the kernels
  # need is in all of them. (The driver has to be as new as the compiler in any case, for the runtime library.)
  set(CMAKE_CUDA_ARCHITECTURES ${GPUMINER_CUDA_ARCHITECTURES})
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE cuda_known ERROR_QUIET)
    foreach(generation 75 80 86 89 90 100 120)
      if(cuda_known MATCHES "sm_${generation}\n")
        list(APPEND CMAKE_CUDA_ARCHITECTURES ${generation}-real)
      endif()
    endforeach()
    list(APPEND CMAKE_CUDA_ARCHITECTURES 75-virtual)
  endif()
  enable_language(CUDA)
  if(CCACHE AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
  endif()
  find_library(GPUMINER_CUDART libcudart_static.a REQUIRED
    PATHS ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES} ${CMAKE_CUDA_HOST_IMPLICIT_LINK_DIRECTORIES} NO_DEFAULT_PATH)
  mark_as_advanced(GPUMINER_CUDART)
  # Options of .cu files: nvcc does not know those of gpuminer_options.
  set(GPUMINER_CUDA_OPTIONS -Xcompiler=-Wall,-Wextra,-Wshadow)
  if(GPUMINER_WERROR)
    list(APPEND GPUMINER_CUDA_OPTIONS -Werror=all-warnings)
  endif()
  add_library(gpuminer_deps_cuda INTERFACE)
  target_include_directories(gpuminer_deps_cuda SYSTEM INTERFACE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  target_link_libraries(gpuminer_deps_cuda INTERFACE ${GPUMINER_CUDART} Threads::Threads ${CMAKE_DL_LIBS} rt)
endif()
gpu_backend(cuda ${cuda_found} "a CUDA compiler that works (nvcc)")

find_path(OPENCL_INCLUDE_DIR CL/cl_ext.h)
set(opencl_found OFF)
if(OPENCL_INCLUDE_DIR)
  set(opencl_found ON)
  add_library(gpuminer_deps_opencl INTERFACE)
  target_include_directories(gpuminer_deps_opencl SYSTEM INTERFACE ${OPENCL_INCLUDE_DIR})
endif()
gpu_backend(opencl ${opencl_found} "CL/cl_ext.h (opencl-c-headers)")

find_path(VULKAN_INCLUDE_DIR vulkan/vulkan_raii.hpp)
find_program(GLSLC glslc)
set(vulkan_found OFF)
if(VULKAN_INCLUDE_DIR AND GLSLC)
  set(vulkan_found ON)
  add_library(gpuminer_deps_vulkan INTERFACE)
  target_include_directories(gpuminer_deps_vulkan SYSTEM INTERFACE ${VULKAN_INCLUDE_DIR})
  target_compile_definitions(gpuminer_deps_vulkan INTERFACE VK_NO_PROTOTYPES VULKAN_HPP_ENABLE_DYNAMIC_LOADER_TOOL=0)
endif()
gpu_backend(vulkan ${vulkan_found} "vulkan/vulkan_raii.hpp (libvulkan-dev) or glslc")
mark_as_advanced(OPENCL_INCLUDE_DIR VULKAN_INCLUDE_DIR GLSLC)
