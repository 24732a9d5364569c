# Everything that Matcha links, as imported targets. Static where there are archives, but for libtbb and libc.

find_package(Threads REQUIRED)
find_program(MATCHA_GZIP gzip REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# matcha_static_archive(<target> <archive>): an imported library, found in the system's folders: an archive, or if there is none, as on
# systems that have only those, a shared library.
function(matcha_static_archive target archive)
  string(TOUPPER "${target}" upper)
  string(MAKE_C_IDENTIFIER "${upper}_ARCHIVE" variable)
  string(REGEX REPLACE "\\.a$" ".so" shared "${archive}")
  find_library(${variable} NAMES ${archive} ${shared} REQUIRED)
  mark_as_advanced(${variable})
  add_library(${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${${variable}}")
endfunction()

# matcha_either(<name> <library>): `matcha::<name>`, an archive that is not position independent for programs; for targets
# with the property MATCHA_SHARED the shared library, unless MATCHA_ARCHIVES says that archives are position independent.
function(matcha_either name library)
  string(TOUPPER "${name}_SHARED" variable)
  matcha_static_archive(matcha::${name}_archive ${library}.a)
  add_library(matcha_${name} INTERFACE)
  add_library(matcha::${name} ALIAS matcha_${name})
  if(MATCHA_ARCHIVES)
    target_link_libraries(matcha_${name} INTERFACE matcha::${name}_archive)
    return()
  endif()
  find_library(MATCHA_${variable} NAMES ${library}.so REQUIRED)
  mark_as_advanced(MATCHA_${variable})
  target_link_libraries(matcha_${name} INTERFACE
    "$<IF:$<BOOL:$<TARGET_PROPERTY:MATCHA_SHARED>>,${MATCHA_${variable}},matcha::${name}_archive>")
endfunction()

matcha_static_archive(matcha::zlib libz.a)
matcha_static_archive(matcha::zstd libzstd.a)
matcha_static_archive(matcha::xxhash libxxhash.a)
matcha_either(bz2 libbz2)
matcha_static_archive(matcha::lzma liblzma.a)
# expat: GraphML.
matcha_static_archive(matcha::expat libexpat.a)

# libarchive: zip and tar. Its zip reader may decrypt, with nettle; the other formats of the archive are not linked.
matcha_static_archive(matcha::nettle libnettle.a)
matcha_static_archive(matcha::archive libarchive.a)
target_link_libraries(matcha::archive INTERFACE
  matcha::nettle matcha::bz2 matcha::lzma matcha::zstd matcha::zlib)

# nauty: automorphisms and canonical forms of patterns.
matcha_either(nauty libnauty)
find_path(MATCHA_NAUTY_INCLUDE nauty/nauty.h REQUIRED)
target_include_directories(matcha_nauty SYSTEM INTERFACE "${MATCHA_NAUTY_INCLUDE}")

# ANTLR: Debian's tool is 4.7.2 and its runtime 4.9. Code that includes the runtime is compiled with -fno-char8_t.
# The archive of a release has the parser (scripts/release).
if(NOT EXISTS "${PROJECT_SOURCE_DIR}/grammar/generated/MatchaParser.cpp")
  find_program(MATCHA_ANTLR_TOOL antlr4 REQUIRED)
endif()
find_path(MATCHA_ANTLR_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
matcha_either(antlr libantlr4-runtime)
target_include_directories(matcha_antlr SYSTEM INTERFACE "${MATCHA_ANTLR_INCLUDE}")
target_compile_options(matcha_antlr INTERFACE -fno-char8_t)
target_link_libraries(matcha_antlr INTERFACE Threads::Threads)

# LLVM: archives of ORC and the code generator of the host. Debian's LLVMSupport names libz3.so and the shared libzstd;
# the first is never called from what is linked here, so both are replaced.
set(MATCHA_LLVM 19 CACHE STRING "The major version of LLVM, from 19 to 22")
find_package(LLVM REQUIRED CONFIG HINTS "/usr/lib/llvm-${MATCHA_LLVM}/lib/cmake/llvm")
if(NOT LLVM_VERSION_MAJOR EQUAL MATCHA_LLVM OR MATCHA_LLVM LESS 19 OR MATCHA_LLVM GREATER 22)
  message(FATAL_ERROR "LLVM ${LLVM_VERSION} is in ${LLVM_DIR}; MATCHA_LLVM asks for ${MATCHA_LLVM}, and 19 to 22 are supported")
endif()
option(MATCHA_LLVM_SHARED "Link LLVM's shared library, not its archives" OFF)
if(MATCHA_LLVM_SHARED)
  set(matcha_llvm_libraries LLVM)
else()
  set_target_properties(LLVMSupport PROPERTIES
    INTERFACE_LINK_LIBRARIES "rt;${CMAKE_DL_LIBS};m;matcha::zlib;matcha::zstd;LLVMDemangle")
  llvm_map_components_to_libnames(matcha_llvm_libraries orcjit passes irreader linker native)
endif()
add_library(matcha_llvm INTERFACE)
add_library(matcha::llvm ALIAS matcha_llvm)
target_include_directories(matcha_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(matcha_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(matcha_llvm INTERFACE ${matcha_llvm_definitions})
target_link_libraries(matcha_llvm INTERFACE ${matcha_llvm_libraries})

if(MATCHA_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  # What is found may be a script that looks for the interpreter, a tenth of a second each time.
  execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.executable, end='')"
    OUTPUT_VARIABLE Python3_EXECUTABLE COMMAND_ERROR_IS_FATAL ANY)
  set_target_properties(Python3::Interpreter PROPERTIES IMPORTED_LOCATION "${Python3_EXECUTABLE}")
endif()
if(MATCHA_BENCH)
  find_package(benchmark REQUIRED)
endif()
