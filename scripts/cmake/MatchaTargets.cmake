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

# matcha_long_programs(<target>...): what only long tests run. `scripts/test` without --all does not build it.
add_custom_target(long-programs)
function(matcha_long_programs)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(long-programs ${ARGN})
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

# matcha_tiers(<name> <source>...): the same, of files that are compiled for some processors alone and chosen at run time.
function(matcha_tiers name)
  matcha_object_library(${name} ${ARGN})
  set(script "${PROJECT_SOURCE_DIR}/scripts/cmake/own_symbols")
  set(launcher "${script}" "${CMAKE_NM}" "${CMAKE_READELF}" "${CMAKE_OBJCOPY}" ${CMAKE_CXX_COMPILER_LAUNCHER})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF CXX_COMPILER_LAUNCHER "${launcher}")
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${name} PROPERTY OBJECT_DEPENDS "${script}")
endfunction()

# matcha_compile_singly(<file>...): takes files, named from the root, out of the batches of a unity build.
function(matcha_compile_singly)
  foreach(file IN LISTS ARGN)
    foreach(target IN ITEMS ir passes frontend runtime runtime_loops interp plan codegen question planner engines engine_adapters
        engine_data session session_engines session_rows statements pictures incremental incremental_rows incremental_runtime
        lsp server first_tools tools api)
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

# matcha_run_path(<target> <folder>...): where an installed target looks for libraries, and the built one as well: a run path
# that CMake changes at installation ends in an empty element until then, which stands for the current folder.
function(matcha_run_path target)
  set(path ${ARGN})
  set(foreign ON)  # Folders of libraries outside the system's.
  if(MATCHA_PORTABLE)
    list(APPEND path "$ORIGIN")
    set(foreign OFF)
  endif()
  list(REMOVE_DUPLICATES path)
  set_target_properties(${target} PROPERTIES
    INSTALL_RPATH "${path}" BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ${foreign})
endfunction()

# matcha_not_hot(<target>...): where little of a run's time is spent, a release build takes g++'s -Og, which compiles in 3/4 of
# the time of -O1 and half of that of -O2.
function(matcha_not_hot)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  endforeach()
endfunction()

# matcha_seldom_runs(<target>...): under sanitizers these are not optimized, which would take longer than it gains, and
# not checked for alignment (code of the runtime is).
function(matcha_seldom_runs)
  if(MATCHA_SANITIZE)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -O0 -fno-sanitize=alignment)
    endforeach()
  endif()
endfunction()

# matcha_test(<name> SOURCES <source>... LIBRARIES <library>... [LABELS <label>...] [UNIT <unit>] [ALONE]):
# GoogleTest files of one area, and one ctest case for them, which runs in the root folder. Areas share few programs, for each
# is linked with all of the compiler: `compiler_tests`, `runtime_tests` for those that need matcha_runtime only, and
# `long_tests` for those with the label `long`. An area that ThreadSanitizer runs (label `scheduler`), that links the shared library,
# or with ALONE has a program of its own. Areas with the same UNIT are compiled as one file, for most of the time of a small
# area goes to headers; with ALONE they share the program of that name.
function(matcha_test name)
  cmake_parse_arguments(arg "ALONE" "UNIT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  set(unit "${name}")
  if(arg_UNIT)
    set(unit "${arg_UNIT}")
  endif()
  set(program "${unit}")
  if(NOT arg_ALONE AND NOT "scheduler" IN_LIST arg_LABELS)
    if("long" IN_LIST arg_LABELS)
      set(program long_tests)
    elseif(arg_LIBRARIES MATCHES "matcha_(session|incremental|planner|question|engine_adapters|codegen|interp|frontend|passes|ir)(;|$)")
      set(program compiler_tests)
    elseif(arg_LIBRARIES MATCHES "matcha_(runtime|engines|incremental_runtime)")
      set(program runtime_tests)
    endif()
  endif()
  if(NOT TARGET ${unit})
    if(program STREQUAL unit)
      matcha_executable(${unit})
      target_link_libraries(${unit} PRIVATE GTest::gtest_main)
    else()
      matcha_object_library(${unit})
      set_property(GLOBAL APPEND PROPERTY MATCHA_UNITS_OF_${program} ${unit})
    endif()
    # The time goes to the libraries, except in tests of the runtime, whose headers hold loops.
    matcha_not_hot(${unit})
    if(MATCHA_SANITIZE)
      # Sanitizers make each case slow: tests that draw many take fewer.
      target_compile_definitions(${unit} PRIVATE MATCHA_TEST_SANITIZED)
    endif()
    if(NOT "runtime" IN_LIST arg_LABELS)
      matcha_seldom_runs(${unit})
    endif()
  endif()
  target_sources(${unit} PRIVATE ${arg_SOURCES})
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    if(path IN_LIST MATCHA_SINGLE)
      set_source_files_properties("${source}" TARGET_DIRECTORY ${unit} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  if(program STREQUAL name)
    target_link_libraries(${unit} PRIVATE ${arg_LIBRARIES} GTest::gtest)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  else()
    if(program STREQUAL unit)
      target_link_libraries(${unit} PRIVATE ${arg_LIBRARIES} GTest::gtest)
    else()
      target_link_libraries(${unit} PUBLIC ${arg_LIBRARIES} GTest::gtest)
    endif()
    matcha_suites(${name} ${program} filter ${arg_SOURCES})
    add_test(NAME ${name} COMMAND ${program} "--gtest_filter=${filter}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
  if("scheduler" IN_LIST arg_LABELS)
    add_dependencies(scheduler-tests ${unit})
  endif()
endfunction()

# matcha_suites(<area> <program> <variable> <source>...): the filter of GoogleTest that selects the suites of an area. A suite
# is of one area of a program: otherwise an area would run the cases of another one.
function(matcha_suites area program variable)
  set(suites "")
  set(typed "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(STRINGS "${source}" lines REGEX "^(TYPED_TEST|TEST|TEST_F|TEST_P|RC_GTEST_PROP)\\(")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+).*" "\\1" suite "${line}")
      list(APPEND suites "${suite}")
      if(line MATCHES "^TYPED_TEST")
        list(APPEND typed "${suite}")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  if(NOT suites)
    message(FATAL_ERROR "no suite of GoogleTest in ${area}")
  endif()
  set(filter "")
  foreach(suite IN LISTS suites)
    get_property(other GLOBAL PROPERTY MATCHA_SUITE_${program}_${suite})
    if(other)
      message(SEND_ERROR "the suite ${suite} is in ${other} and in ${area}, which are one program")
    endif()
    set_property(GLOBAL PROPERTY MATCHA_SUITE_${program}_${suite} ${area})
    # `Suite/0.Case` is typed; a case with parameters is `Prefix/Suite.Case/0`, and a prefix may be the name of another suite.
    string(APPEND filter ":${suite}.*:*/${suite}.*")
    if(suite IN_LIST typed)
      string(APPEND filter ":${suite}/*")
    endif()
  endforeach()
  string(SUBSTRING "${filter}" 1 -1 filter)
  set(${variable} "${filter}" PARENT_SCOPE)
endfunction()

# matcha_test_programs(): links the programs that areas share. Comes after all of them.
function(matcha_test_programs)
  foreach(program IN ITEMS compiler_tests runtime_tests long_tests)
    get_property(units GLOBAL PROPERTY MATCHA_UNITS_OF_${program})
    matcha_executable(${program})
    target_link_libraries(${program} PRIVATE ${units} GTest::gtest_main)
    foreach(unit IN LISTS units)
      get_target_property(needed ${unit} MANUALLY_ADDED_DEPENDENCIES)
      if(needed)
        add_dependencies(${program} ${needed})
      endif()
    endforeach()
  endforeach()
  matcha_long_programs(long_tests)
endfunction()

# matcha_fuzzer(<target> <corpus>): the ctest case `fuzz.<target>` runs a target of the program `fuzzers` over its corpus. Under
# MATCHA_FUZZ the program is libFuzzer's, and the build folder's `fuzzers.txt` lists targets and corpora.
function(matcha_fuzzer target corpus)
  cmake_path(ABSOLUTE_PATH corpus NORMALIZE)
  if(MATCHA_FUZZ)
    add_test(NAME fuzz.${target} COMMAND fuzzers -runs=0 -report_slow_units=600 "${corpus}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(fuzz.${target} PROPERTIES ENVIRONMENT "MATCHA_FUZZER=${target}")
    file(APPEND "${PROJECT_BINARY_DIR}/fuzzers.txt" "${target} ${corpus}\n")
  else()
    add_test(NAME fuzz.${target} COMMAND fuzzers ${target} "${corpus}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
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
  # In a library of its own: Ninja lets a command of <target> wait for all that <target> links, and its files for the command.
  cmake_path(GET header STEM texts)
  string(PREPEND texts "${target}_")
  add_library(${texts} OBJECT "${source}" "${base}/${header}")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${texts}>)
  target_include_directories(${target} PRIVATE "${base}")
endfunction()
