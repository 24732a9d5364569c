# Functions for the folders' CMakeLists.txt.

# Warnings of our own code; generated code does without.
add_library(matcha_warnings INTERFACE)
target_compile_options(matcha_warnings INTERFACE -Wall -Wextra -Wswitch -Werror)

# matcha_library(<name> <source>...): a static library of one folder; includes are relative to the root.
function(matcha_library name)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE matcha_warnings)
endfunction()

# matcha_executable(<name> <source>...): a program in build/bin.
function(matcha_executable name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE matcha_warnings)
endfunction()
