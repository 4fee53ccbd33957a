# The toolchain of the preset windows, which cross-compiles for 64-bit Windows with Debian's mingw-w64. Tests run under Wine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0a00 -DWIN32_LEAN_AND_MEAN -DNOMINMAX")  # Windows 10
# GCC 12's <semaphore> loses wake-ups on systems without futexes (bits/atomic_wait.h looks at the value before it locks), and the
# end of a std::stop_callback that is just running waits for one: threads hung at their end. Without that header, as this word
# makes it think that it was included, <stop_token> has its own, which yields until the callback has ended. It comes before
# <version>, which says that there are semaphores.
string(APPEND CMAKE_CXX_FLAGS_INIT " -D_GLIBCXX_SEMAPHORE -include stop_token")
find_program(GPUMINER_WINE NAMES wine64 wine PATHS /usr/lib/wine NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(GPUMINER_WINE)
if(GPUMINER_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${GPUMINER_WINE})
endif()
