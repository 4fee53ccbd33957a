# The backends of this build: sets GPUMINER_BACKENDS, those of the known ones that it has, GPUMINER_GPU_BACKENDS, the same
# without cpu, and GPUMINER_WHY_WITHOUT_BACKEND, what the program says of one that it does not have.
#
# FOLDER/dependencies.cmake looks for what a backend takes to build, if it takes more than the rest: it sets `needs` (in
# words, for users) and `found`, and defines the interface target gpuminer_deps_FOLDER. Libraries of GPU APIs are opened at
# run time, so building takes headers and compilers only.
set(GPUMINER_BACKENDS cpu)
set(GPUMINER_WHY_WITHOUT_cpu "not part of this build; install a compiler for x86-64 or ARM64 and configure again")
if(WIN32)  # the GPU APIs' headers are this system's, too, by links
  set(headers ${PROJECT_BINARY_DIR}/headers)
  foreach(name CL vk_video vulkan)
    if(IS_DIRECTORY /usr/include/${name})
      file(CREATE_LINK /usr/include/${name} ${headers}/${name} SYMBOLIC)
    endif()
  endforeach()
  set(find_in_headers PATHS ${headers} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  find_path(OPENCL_INCLUDE_DIR CL/cl_ext.h ${find_in_headers})
  find_path(VULKAN_INCLUDE_DIR vulkan/vulkan_raii.hpp ${find_in_headers})
endif()
foreach(backend IN LISTS GPUMINER_OPTIONAL_BACKENDS)
  string(TOUPPER ${backend} option)
  set(needs "a C++ compiler")
  set(found ON)
  include(${PROJECT_SOURCE_DIR}/${backend}/dependencies.cmake OPTIONAL)
  set(GPUMINER_WHY_WITHOUT_${backend} "not part of this build; install ${needs} and configure again")
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
