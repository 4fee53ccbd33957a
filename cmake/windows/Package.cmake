# The version resource and the manifest of gpuminer.exe, and the target `package`, which puts a zip with it into BUILD/packages, the
# list of its contents and checksums (packaging/windows_zip.py).
enable_language(RC)
configure_file(packaging/windows/gpuminer.rc.in ${PROJECT_BINARY_DIR}/packaging/gpuminer.rc @ONLY)
target_sources(gpuminer PRIVATE ${PROJECT_BINARY_DIR}/packaging/gpuminer.rc
  ${PROJECT_SOURCE_DIR}/cli/utf8_library_windows.cpp)  # no library is searched for what it replaces
set_property(SOURCE ${PROJECT_BINARY_DIR}/packaging/gpuminer.rc PROPERTY
  OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/windows/gpuminer.manifest)

set(packages ${PROJECT_BINARY_DIR}/packages)
set(parts ${PROJECT_BINARY_DIR}/packaging)
set(GPUMINER_PACKAGE_ARCHITECTURE x86_64)
set(GPUMINER_PORTABLE_PROGRAM $<TARGET_FILE:gpuminer>)
set(GPUMINER_LINK_MAP ${parts}/gpuminer.map)  # by which it is known what is in the program
target_link_options(gpuminer PRIVATE -municode LINKER:-Map=${GPUMINER_LINK_MAP})  # wmain()
include(PackagedFiles)
configure_file(packaging/settings.json.in ${parts}/settings.json.in @ONLY)
file(GENERATE OUTPUT ${parts}/settings.json INPUT ${parts}/settings.json.in)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_target(package
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/packaging/windows_zip.py ${parts}/settings.json
  DEPENDS gpuminer USES_TERMINAL VERBATIM)
