# Options, compiler and linker settings for the whole tree.

option(MATCHA_TESTS "Build the tests" ON)
option(MATCHA_BENCH "Build the google-benchmark programs" ON)
option(MATCHA_UNITY "Compile up to 64 files at once: a first build takes a third of the time" ON)
set(MATCHA_SINGLE "" CACHE STRING "Files that a unity build compiles one by one: those that a developer changes")
option(MATCHA_PORTABLE "Link libstdc++ and libgcc statically into programs and look for libtbb beside them" OFF)
option(MATCHA_ARCHIVES "Link everything but the C library statically, into libmatcha too, for glibc 2.31 (scripts/portable)" OFF)
option(MATCHA_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
set(MATCHA_SANITIZE "" CACHE STRING "Sanitizers for every target, such as address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_UNITY_BUILD ${MATCHA_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 64)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# -O2 keeps builds short; the set kernels ask for more where it was measured to help.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# g++ collects the garbage of a batch less often: 5% less time for at most a quarter more memory.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)

# Unused sections of LLVM and ANTLR leave the binary; libraries that nothing refers to leave its needed list.
add_compile_options(-ffunction-sections -fdata-sections)
# Kept code is that of one build (codegen/llvm/build_id.h).
add_link_options(-Wl,--gc-sections -Wl,--as-needed -Wl,--build-id)
# Addresses of functions are bound when a program starts, and are read-only from then on.
add_link_options(-Wl,-z,relro -Wl,-z,now)

if(MATCHA_SANITIZE)
  add_compile_options(-fsanitize=${MATCHA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MATCHA_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND MATCHA_SANITIZE MATCHES "undefined")
    # Code made at run time and C functions of another header do not carry the types that it compares. The processor checks null
    # pointers and AddressSanitizer the sizes of objects: without both, a third less time to compile.
    add_compile_options(-fno-sanitize=function,null,object-size)
  endif()
endif()

if(MATCHA_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "MATCHA_FUZZ needs clang; use the preset `asan-ubsan`")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(MATCHA_PORTABLE)
  # Not libmatcha: exceptions of ANTLR's shared library pass through it, which needs one C++ library for both.
  add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-libstdc++;-static-libgcc>")
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
  list(APPEND CMAKE_BUILD_RPATH "$ORIGIN")
endif()

if(MATCHA_ARCHIVES)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,-u,arc4random,-u,__libc_single_threaded)
  string(APPEND CMAKE_CXX_STANDARD_LIBRARIES " -lolder_libc -lpthread")
endif()

find_program(MATCHA_CCACHE ccache)
if(MATCHA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${MATCHA_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MATCHA_CCACHE}")
endif()

# Clang takes lld of its own version; g++ takes either.
find_program(MATCHA_MOLD mold)
find_program(MATCHA_LLD ld.lld)
if(MATCHA_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(MATCHA_LLD)
  add_link_options(-fuse-ld=lld)
endif()
