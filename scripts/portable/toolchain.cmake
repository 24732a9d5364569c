# Compiles on Debian 12 for glibc 2.31: headers and libraries of a Debian 11 in MATCHA_ROOT, g++'s own C++ library, linked statically.

if(NOT DEFINED ENV{MATCHA_ROOT})
  message(FATAL_ERROR "MATCHA_ROOT is not set: scripts/wheel --portable makes the root and sets it")
endif()
set(root "$ENV{MATCHA_ROOT}")
set(CMAKE_SYSROOT "${root}")
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(CMAKE_FIND_ROOT_PATH "${root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# g++ looks into the system's folders first; the second folder has the unwinder of Debian 11, for that of g++ 12 needs glibc 2.35.
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-B${root}/usr/lib/x86_64-linux-gnu -L${root}/usr/local/lib")
endforeach()
