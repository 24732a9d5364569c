# Functions for the folders' CMakeLists.txt.

# What the preset `tsan` builds: matcha_test with LABELS scheduler adds to it.
add_custom_target(scheduler-tests)
file(WRITE "${PROJECT_BINARY_DIR}/fuzzers.txt" "")

# Warnings of our own code; generated code does without.
add_library(matcha_warnings INTERFACE)
target_compile_options(matcha_warnings INTERFACE -Wall -Wextra -Wswitch -Werror)
if(MATCHA_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What a file of the batch keeps to itself looks to it like what a header declares.
  target_compile_options(matcha_warnings INTERFACE -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # std::stable_sort of libstdc++ 12 calls a function that it deprecates; clang reports it at the caller.
  target_compile_options(matcha_warnings INTERFACE -Wno-deprecated-declarations)
endif()

# matcha_long_tests(<test>...): tests that `scripts/test` runs with --all only. They start first, so that at the end short ones
# keep all cores busy.
function(matcha_long_tests)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS long)
  set_property(TEST ${ARGN} PROPERTY COST 10)
endfunction()

# matcha_long_programs(<target>...): what only long tests run. Under sanitizers, where these seldom run, it is not built with
# the rest but as the target `long-programs`.
add_custom_target(long-programs)
function(matcha_long_programs)
  if(MATCHA_SANITIZE)
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(long-programs ${ARGN})
  endif()
endfunction()

# matcha_library(<name> <source>...): a static library of one folder; includes are relative to the root.
function(matcha_library name)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE matcha_warnings)
endfunction()

# matcha_object_library(<name> <source>...): the same, of files that are part of another library and compiled otherwise.
function(matcha_object_library name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE matcha_warnings)
endfunction()

# matcha_compile_singly(<file>...): takes files, named from the root, out of the batches of a unity build.
function(matcha_compile_singly)
  foreach(file IN LISTS ARGN)
    foreach(target IN ITEMS ir passes frontend runtime interp plan codegen driver tools api)
      set_source_files_properties("${PROJECT_SOURCE_DIR}/${file}" TARGET_DIRECTORY matcha_${target}
        PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  endforeach()
endfunction()

# matcha_executable(<name> <source>...): a program in build/bin.
function(matcha_executable name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE matcha_warnings)
endfunction()

# matcha_not_hot(<target>...): in a release build -O1, which compiles in less time, where little of a run's time is spent.
function(matcha_not_hot)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# matcha_seldom_runs(<target>...): under sanitizers these are not optimized, which would take longer than it gains, and
# not checked for null pointers (the processor does that), alignment (code of the runtime is) and sizes of objects.
function(matcha_seldom_runs)
  if(MATCHA_SANITIZE)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -O0 -fno-sanitize=null,alignment,object-size)
    endforeach()
  endif()
endfunction()

# matcha_test(<name> SOURCES <source>... LIBRARIES <library>... [LABELS <label>...] [WHOLE]):
# a GoogleTest program; one ctest case for each test, or one for the program with WHOLE. Tests run in the root folder.
function(matcha_test name)
  cmake_parse_arguments(arg "WHOLE" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  matcha_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
  # What takes time is in the libraries, but for tests of the runtime, whose headers hold loops.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(MATCHA_SANITIZE)
    # They make each case slow: what draws many takes fewer.
    target_compile_definitions(${name} PRIVATE MATCHA_TEST_SANITIZED)
  endif()
  if(NOT "runtime" IN_LIST arg_LABELS)
    matcha_seldom_runs(${name})
  endif()
  if("scheduler" IN_LIST arg_LABELS)
    add_dependencies(scheduler-tests ${name})
  endif()
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
  else()
    include(GoogleTest)
    gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 600
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    # gtest_discover_tests would take a list of labels apart.
    set(labels "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
    file(WRITE "${labels}" "if(DEFINED ${name}_TESTS)
  set_tests_properties(\${${name}_TESTS} PROPERTIES LABELS \"${arg_LABELS}\")
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels}")
  endif()
endfunction()

# matcha_fuzzer(<name> SOURCES <source>... LIBRARIES <library>... CORPUS <folder>):
# a file with LLVMFuzzerTestOneInput. The program <name> is a libFuzzer target under MATCHA_FUZZ and else replays the
# files given to it; the ctest case `fuzz.<name>` runs it over the corpus either way. The build folder's `fuzzers.txt`
# lists the libFuzzer targets and their corpora.
function(matcha_fuzzer name)
  cmake_parse_arguments(arg "" "CORPUS" "SOURCES;LIBRARIES" ${ARGN})
  cmake_path(ABSOLUTE_PATH arg_CORPUS BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  matcha_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  matcha_seldom_runs(${name})
  if(MATCHA_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz.${name} COMMAND ${name} -runs=0 "${arg_CORPUS}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    file(APPEND "${PROJECT_BINARY_DIR}/fuzzers.txt" "${name} ${arg_CORPUS}\n")
  else()
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp")
    add_test(NAME fuzz.${name} COMMAND ${name} "${arg_CORPUS}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  endif()
endfunction()

# matcha_embed(<target> <header> <namespace> <file>...): makes the texts of files available to <target> as
# `std::string_view <namespace>::embedded_text(std::string_view path)` (`path` relative to the root, as given; an empty
# view with a null data() when there is none) and `embedded_paths()`, declared in <header> of the build tree.
function(matcha_embed target header namespace)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  set(source "${base}/${header}.cpp")
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake")
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE inputs)
  add_custom_command(
    OUTPUT "${base}/${header}" "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DHEADER=${base}/${header}" "-DSOURCE=${source}" "-DNAMESPACE=${namespace}"
            "-DBASE=${PROJECT_SOURCE_DIR}" "-DFILES=${ARGN}" -P "${script}"
    DEPENDS ${inputs} "${script}"
    COMMENT "Embedding ${header}" VERBATIM)
  target_sources(${target} PRIVATE "${source}" "${base}/${header}")
  target_include_directories(${target} PRIVATE "${base}")
endfunction()
