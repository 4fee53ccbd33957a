# The files that `cmake --install` installs, and the target `package`, which puts a .deb and a tarball of the portable
# gpuminer into BUILD/packages, with the list of their contents (packaging/package.py; docs/releasing.md).
#
# Components: `common` is part of everything; `local` and `library` are what `cmake --install` adds to it; `packaged` is what
# both packages add, `debian` and `tarball` what one of them does.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(GPUMINER_MAINTAINER "gpuminer developers <gpuminer@packages.invalid>" CACHE STRING "Who the .deb says maintains it")
set(packages ${PROJECT_BINARY_DIR}/packages)
set(parts ${PROJECT_BINARY_DIR}/packaging)  # what package.py makes for the packages
set(cli_documents ${PROJECT_BINARY_DIR}/generated/cli_documents)  # manual pages and completions, by cli/CMakeLists.txt

# gpuminer_install(COMPONENT ARGUMENT...): install(ARGUMENT...) in a component.
function(gpuminer_install component)
  set(where COMPONENT ${component})
  if(NOT component MATCHES "^(common|local|library)$")
    list(APPEND where EXCLUDE_FROM_ALL)
  endif()
  list(FIND ARGN DESTINATION destination)
  list(INSERT ARGN ${destination} ${where})
  install(${ARGN})
endfunction()

# gpuminer_install_service(COMPONENT FOLDER): gpuminer@.service for a program in FOLDER.
function(gpuminer_install_service component folder)
  set(GPUMINER_PROGRAM ${folder}/gpuminer)
  configure_file(packaging/gpuminer@.service.in ${parts}/${component}/gpuminer@.service @ONLY)
  gpuminer_install(${component} FILES ${parts}/${component}/gpuminer@.service DESTINATION lib/systemd/system)
endfunction()

# --- for everybody -----------------------------------------------------------------------------------------
gpuminer_install(common FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
gpuminer_install(common DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.py" EXCLUDE PATTERN design EXCLUDE
  PATTERN results EXCLUDE PATTERN releasing.md EXCLUDE PATTERN schemas EXCLUDE)
gpuminer_install(common DIRECTORY docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/gpuminer)
gpuminer_install(common FILES packaging/cpu-only.conf DESTINATION ${CMAKE_INSTALL_DATADIR}/gpuminer/systemd)

# gpuminer_install_links(COMPONENT): after all else of the last component that is installed, which then looks at everything.
function(gpuminer_install_links component)
  install(CODE "set(documents \"${CMAKE_INSTALL_DOCDIR}\")" COMPONENT ${component} ${ARGN})
  install(SCRIPT cmake/InstalledLinks.cmake COMPONENT ${component} ${ARGN})
endfunction()

# gpuminer_install_completions(COMPONENT FOLDER): those of every shell, zsh's in FOLDER of share/zsh. Where only the target
# gpuminer was built there are none.
function(gpuminer_install_completions component zsh_folder)
  gpuminer_install(${component} FILES ${cli_documents}/gpuminer DESTINATION share/bash-completion/completions OPTIONAL)
  gpuminer_install(${component} FILES ${cli_documents}/_gpuminer DESTINATION share/zsh/${zsh_folder} OPTIONAL)
  gpuminer_install(${component} FILES ${cli_documents}/gpuminer.fish
    DESTINATION share/fish/vendor_completions.d OPTIONAL)
endfunction()

# gpuminer_install_library(COMPONENT FOLDER): what programs are compiled with libgpuminer by; the library itself is in FOLDER.
function(gpuminer_install_library component libdir)
  set(made ${parts}/${component})
  cmake_path(ABSOLUTE_PATH libdir BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} NORMALIZE OUTPUT_VARIABLE folder)
  file(RELATIVE_PATH libdir ${CMAKE_INSTALL_PREFIX} ${folder})
  file(RELATIVE_PATH up ${folder}/pkgconfig ${CMAKE_INSTALL_PREFIX})  # the way from that folder to the prefix
  configure_file(library/gpuminer.pc.in ${made}/gpuminer.pc @ONLY)
  gpuminer_install(${component} FILES ${made}/gpuminer.pc DESTINATION ${libdir}/pkgconfig)
  string(APPEND up /..)  # from a folder that is one deeper
  configure_file(library/gpuminer-config.cmake.in ${made}/gpuminer-config.cmake @ONLY)
  write_basic_package_version_file(${made}/gpuminer-config-version.cmake COMPATIBILITY SameMinorVersion)
  gpuminer_install(${component} FILES ${made}/gpuminer-config.cmake ${made}/gpuminer-config-version.cmake
    DESTINATION ${libdir}/cmake/gpuminer)
  gpuminer_install(${component} FILES library/include/gpuminer.h DESTINATION include)
  gpuminer_install(${component} DIRECTORY library/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuminer)
endfunction()

# --- cmake --install ---------------------------------------------------------------------------------------
gpuminer_install(local TARGETS gpuminer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
gpuminer_install(local FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
gpuminer_install(local DIRECTORY ${cli_documents}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL FILES_MATCHING PATTERN "*.1")
gpuminer_install_completions(local site-functions)
gpuminer_install_service(local ${CMAKE_INSTALL_FULL_BINDIR})
gpuminer_install_links(local)
if(TARGET gpuminer_shared)
  # (Optional, as where only the target gpuminer was built.)
  gpuminer_install(library TARGETS gpuminer_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  gpuminer_install(library FILES $<TARGET_PROPERTY:gpuminer_static,GPUMINER_ARCHIVE> DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  gpuminer_install_library(library ${CMAKE_INSTALL_LIBDIR})
endif()

# --- packages ----------------------------------------------------------------------------------------------
gpuminer_install(packaged PROGRAMS ${parts}/gpuminer DESTINATION bin)
gpuminer_install(packaged FILES ${parts}/gpuminer.spdx.json DESTINATION share/doc/gpuminer)
gpuminer_install(packaged DIRECTORY ${parts}/man/ DESTINATION share/man/man1)
gpuminer_install(packaged DIRECTORY ${parts}/lib/ DESTINATION lib)
gpuminer_install_library(packaged lib)
gpuminer_install_completions(debian vendor-completions)
gpuminer_install_completions(tarball site-functions)
gpuminer_install_service(debian /usr/bin)
foreach(file IN ITEMS copyright changelog.gz changelog.Debian.gz)
  gpuminer_install(debian FILES ${parts}/debian/${file} DESTINATION share/doc/gpuminer)
endforeach()
gpuminer_install(debian FILES packaging/lintian-overrides DESTINATION share/lintian/overrides RENAME gpuminer)
gpuminer_install_links(debian EXCLUDE_FROM_ALL)
gpuminer_install_service(tarball /usr/local/bin)
gpuminer_install(tarball FILES LICENSE CHANGELOG.md ${parts}/tarball/third-party-licences.txt DESTINATION share/doc/gpuminer)
gpuminer_install_links(tarball EXCLUDE_FROM_ALL)

# --- package -----------------------------------------------------------------------------------------------
if(GPUMINER_LINK_STATICALLY)
  set(portable gpuminer)
elseif(TARGET gpuminer-portable)
  set(portable gpuminer-portable)
else()
  get_property(missing GLOBAL PROPERTY GPUMINER_MISSING_ARCHIVES)
  set(reason "GPUMINER_PORTABLE is ${GPUMINER_PORTABLE}")
  if(missing)
    list(JOIN missing ", " names)
    set(reason "${names} cannot be found")
  endif()
  add_custom_target(package
    COMMAND ${CMAKE_COMMAND} -E echo "Packages are made of the portable gpuminer, which this build does not have: ${reason}"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  return()
endif()

# The architecture as Debian calls it.
set(GPUMINER_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(GPUMINER_PACKAGE_ARCHITECTURE amd64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(GPUMINER_PACKAGE_ARCHITECTURE arm64)
endif()

# CPack's own target of this name would build all of the tests first: include(CPack) makes none where its file is elsewhere.
set(CPACK_OUTPUT_CONFIG_FILE ${parts}/CPackConfig.cmake)
set(CPACK_SOURCE_OUTPUT_CONFIG_FILE ${parts}/CPackSourceConfig.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${parts}/CPackOptions.cmake)
configure_file(packaging/CPackOptions.cmake.in ${CPACK_PROJECT_CONFIG_FILE} @ONLY)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_DIRECTORY ${packages})
set(CPACK_PACKAGE_VENDOR "gpuminer developers")
set(CPACK_PACKAGE_CONTACT ${GPUMINER_MAINTAINER})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)  # whatever the umask
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)

# How the portable program is linked is written down, so that package.py can see what is in it.
set(GPUMINER_LINK_MAP ${parts}/gpuminer.map)
target_link_options(${portable} PRIVATE LINKER:-Map=${GPUMINER_LINK_MAP})
include(PackagedFiles)
set(GPUMINER_PORTABLE_PROGRAM $<TARGET_FILE:${portable}>)
set(stick_program "")  # of a stick to boot: BOOTX64.EFI, where there is one
if(TARGET baremetal)
  set(stick_program ${PROJECT_BINARY_DIR}/BOOTX64.EFI)
endif()
set(GPUMINER_SHARED_LIBRARY $<TARGET_FILE:gpuminer_shared>)
set(GPUMINER_STATIC_LIBRARY $<TARGET_PROPERTY:gpuminer_static,GPUMINER_ARCHIVE>)
set(GPUMINER_LIBRARIES_ROOT ${CMAKE_SYSROOT})
configure_file(packaging/settings.json.in ${parts}/settings.json.in @ONLY)
file(GENERATE OUTPUT ${parts}/settings.json INPUT ${parts}/settings.json.in)

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_custom_target(package
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/packaging/package.py ${parts}/settings.json
    DEPENDS ${portable} gpuminer_shared gpuminer_static gpuminer_cli_documents USES_TERMINAL VERBATIM)
  if(TARGET baremetal)
    add_dependencies(package baremetal)
  endif()
else()
  add_custom_target(package
    COMMAND ${CMAKE_COMMAND} -E echo "The target `package` takes Python 3, which was not found when this build was configured"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
