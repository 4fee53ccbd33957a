# The toolchain of the preset arm64, which cross-compiles for ARM64 on another machine. The packages that get_root.sh of
# this folder has unpacked (./bootstrap.sh arm64 runs it) take the place of the system's libraries; tests, and programs
# that the build itself runs, run under QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-root ABSOLUTE)
if(NOT EXISTS ${root}/gpuminer-packages.txt)
  message(FATAL_ERROR "${root} does not have Debian's libraries for ARM64: run ./bootstrap.sh arm64")
endif()
set(CMAKE_SYSROOT ${root})
# Names of headers that are in a program (Boost's, of where it throws) are those on an ARM64 machine, whatever this folder is
# called; ccache makes them relative to the build's.
set(CMAKE_CXX_FLAGS_INIT "-fmacro-prefix-map=${root}= -fmacro-prefix-map=../arm64-root=")
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/lib/aarch64-linux-gnu/pkgconfig:${root}/usr/share/pkgconfig)

# Which CPU it plays, QEMU_CPU says when a program runs (qemu-aarch64 -cpu help).
find_program(GPUMINER_QEMU qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${GPUMINER_QEMU} -L ${root})
