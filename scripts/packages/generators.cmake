# Read by cpack once for each kind of package.

if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_COMPONENTS_ALL ${CPACK_MATCHA_DEBIAN_COMPONENTS})
  set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
  set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/for_debian.cmake")
else()
  # One tree that may lie anywhere, with the shared libraries that it needs.
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
  set(CPACK_COMPONENTS_ALL runtime lib dev python doc bundle)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
