# libmatcha needs nothing but the C library; the tree of scripts/wheel --portable has it.
set(VCPKG_POLICY_DLLS_IN_STATIC_LIBRARY enabled)
set(VCPKG_POLICY_ONLY_RELEASE_CRT enabled)
set(VCPKG_POLICY_MISMATCHED_NUMBER_OF_BINARIES enabled)
vcpkg_download_distfile(archive
  URLS "@TREE_URL@"
  FILENAME "matcha-@VERSION@-Linux-x86_64.tar.gz"
  SHA512 "@TREE_SHA512@")
vcpkg_extract_source_archive(tree ARCHIVE "${archive}")
file(GLOB libraries "${tree}/lib/libmatcha.so*")
file(INSTALL ${libraries} DESTINATION "${CURRENT_PACKAGES_DIR}/lib")
file(INSTALL "${tree}/include/" DESTINATION "${CURRENT_PACKAGES_DIR}/include")
file(INSTALL "${tree}/lib/cmake/Matcha/" DESTINATION "${CURRENT_PACKAGES_DIR}/lib/cmake/Matcha")
file(INSTALL "${tree}/lib/pkgconfig/matcha.pc" DESTINATION "${CURRENT_PACKAGES_DIR}/lib/pkgconfig")
file(INSTALL "${tree}/share/doc/matcha/LICENSE" DESTINATION "${CURRENT_PACKAGES_DIR}/share/matcha" RENAME copyright)
