# The libraries that the project uses, each behind one interface target, so that no other CMake file asks
# where a library comes from or whether this build is the portable one (all of them linked statically):
#
#   gpuminer_deps_crypto    OpenSSL's libcrypto      gpuminer_deps_json       nlohmann-json
#   gpuminer_deps_ssl       OpenSSL's libssl, too    gpuminer_deps_boost      Boost.Asio and Boost.Beast, with TLS
#   gpuminer_deps_psl       libpsl
#   gpuminer_deps_hwloc     hwloc                    gpuminer_deps_cli11      CLI11
#   gpuminer_deps_spdlog    spdlog and fmt           gpuminer_deps_vulkan     Vulkan headers
#   gpuminer_deps_cuda      CUDA's runtime library   gpuminer_deps_opencl     OpenCL headers
#
# Sets GPUMINER_GPU_BACKENDS: those of cuda, opencl and vulkan that this build has.

find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

foreach(name crypto ssl boost psl hwloc spdlog json cli11)
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
# Headers only; net/transport/asio.cpp and beast.cpp compile what is in them once.
find_package(Boost 1.74 CONFIG REQUIRED)
target_compile_definitions(gpuminer_deps_boost INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)
target_link_libraries(gpuminer_deps_boost INTERFACE Boost::headers gpuminer_deps_ssl Threads::Threads)
if(GPUMINER_SANITIZE MATCHES thread)
  # ThreadSanitizer knows nothing of fences, and GCC warns of them. Asio's scheduler has a mutex in any case.
  target_compile_definitions(gpuminer_deps_boost INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  target_compile_options(gpuminer_deps_boost INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()

pkg_check_modules(PSL REQUIRED IMPORTED_TARGET libpsl)
if(GPUMINER_PORTABLE)
  link_archives(gpuminer_deps_psl psl idn2 unistring)  # libpsl.pc does not name what libpsl.a needs
  target_include_directories(gpuminer_deps_psl SYSTEM INTERFACE ${PSL_INCLUDE_DIRS})
else()
  target_link_libraries(gpuminer_deps_psl INTERFACE PkgConfig::PSL)
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
