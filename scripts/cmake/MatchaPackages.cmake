# What `cmake --install` puts where beside programs and libraries, and the packages of `cpack -G DEB` and `cpack -G TGZ`.
# Components: runtime, lib, dev, python, doc. `bundle` and `debian_*` are for packages only.

set(doc "${CMAKE_INSTALL_DATAROOTDIR}/doc/matcha")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${doc}" COMPONENT doc)
install(DIRECTORY docs/ DESTINATION "${doc}/docs" COMPONENT doc FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "site" EXCLUDE)
install(FILES grammar/README.md DESTINATION "${doc}/grammar" COMPONENT doc)
install(DIRECTORY examples stdlib DESTINATION "${doc}" COMPONENT doc)

# The shared libraries that no system can be trusted to have. Programs look for them in lib/matcha first.
install(RUNTIME_DEPENDENCY_SET matcha_needs
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread)\\.so" "^libstdc\\+\\+" "^libgcc_s"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/matcha" COMPONENT bundle EXCLUDE_FROM_ALL)

set(CPACK_PACKAGE_NAME matcha)
set(CPACK_PACKAGE_VENDOR "The Matcha maintainers")
set(CPACK_PACKAGE_CONTACT "The Matcha maintainers <maintainers@matcha.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "subgraph matching from a small language")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_SYSTEM_NAME "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/scripts/packages/generators.cmake")
# Debian's tools read the components of a group as one package.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(description "Matcha is a language and a compiler for subgraph matching: exact counts, or the
matches themselves, of a pattern in a graph of millions of edges. A query is a
short program over lists, or a pattern such as `0-1,1-2,2-0`; it becomes native
code for the processor, or for an NVIDIA GPU, in tens of milliseconds.")

# matcha_debian(<package> <section> COMPONENTS <component>... SAYS <line> [DEPENDS <list>] [RECOMMENDS <list>]
# [ARCHITECTURE all]): one package, with the copyright and the changelog that each must have.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C date -u -R -d "${MATCHA_DATE}"
  OUTPUT_VARIABLE MATCHA_DEBIAN_DATE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
function(matcha_debian package section)
  cmake_parse_arguments(arg "" "SAYS;DEPENDS;RECOMMENDS;ARCHITECTURE" "COMPONENTS" ${ARGN})
  string(MAKE_C_IDENTIFIER "debian_${package}" own)
  set(folder "${PROJECT_BINARY_DIR}/packages/${package}")
  set(MATCHA_DEBIAN_PACKAGE "${package}")
  configure_file(scripts/packages/changelog.in "${folder}/changelog" @ONLY)
  execute_process(COMMAND "${MATCHA_GZIP}" -9nf "${folder}/changelog" COMMAND_ERROR_IS_FATAL ANY)
  install(FILES scripts/packages/copyright "${folder}/changelog.gz"
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${package}" COMPONENT ${own} EXCLUDE_FROM_ALL)
  if(EXISTS "${PROJECT_SOURCE_DIR}/scripts/packages/${package}.lintian")
    install(FILES "scripts/packages/${package}.lintian" RENAME ${package}
      DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides" COMPONENT ${own} EXCLUDE_FROM_ALL)
  endif()
  foreach(component IN LISTS arg_COMPONENTS ITEMS ${own})
    string(TOUPPER "CPACK_COMPONENT_${component}_GROUP" group)
    set(${group} "${package}" PARENT_SCOPE)
  endforeach()
  string(TOUPPER "CPACK_DEBIAN_${package}" prefix)
  set(${prefix}_PACKAGE_NAME "${package}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
  set(${prefix}_DESCRIPTION "${description}\n\nThis package has ${arg_SAYS}." PARENT_SCOPE)
  set(${prefix}_PACKAGE_DEPENDS "${arg_DEPENDS}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_RECOMMENDS "${arg_RECOMMENDS}" PARENT_SCOPE)
  if(arg_ARCHITECTURE)
    set(${prefix}_PACKAGE_ARCHITECTURE "${arg_ARCHITECTURE}" PARENT_SCOPE)
  endif()
  set(CPACK_MATCHA_DEBIAN_COMPONENTS ${CPACK_MATCHA_DEBIAN_COMPONENTS} ${arg_COMPONENTS} ${own} PARENT_SCOPE)
endfunction()

matcha_debian(matcha science COMPONENTS runtime doc SAYS "the program, its documents and examples")
matcha_debian(libmatcha0 libs COMPONENTS lib SAYS "the shared library")
matcha_debian(libmatcha-dev libdevel COMPONENTS dev SAYS "what C programs with the library are built with"
  DEPENDS "libmatcha0 (= ${PROJECT_VERSION})")
matcha_debian(python3-matcha python COMPONENTS python SAYS "the library as a module of Python"
  DEPENDS "python3 (>= 3.9), libmatcha0 (>= ${PROJECT_VERSION})" RECOMMENDS python3-numpy ARCHITECTURE all)
# What CPack would write into maintainer scripts.
file(WRITE "${PROJECT_BINARY_DIR}/packages/triggers" "activate-noawait ldconfig\n")
file(WRITE "${PROJECT_BINARY_DIR}/packages/shlibs" "libmatcha 0 libmatcha0 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBMATCHA0_PACKAGE_CONTROL_EXTRA
  "${PROJECT_BINARY_DIR}/packages/triggers;${PROJECT_BINARY_DIR}/packages/shlibs")

include(CPack)
