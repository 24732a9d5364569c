{
  lib,
  stdenv,
  fetchurl,
  cmake,
  ninja,
  gzip,
  llvmPackages_19,
  antlr4_9,
  tbb_2021_11,
  fmt,
  cli11,
  nlohmann_json,
  nauty,
  zlib,
  zstd,
  xxHash,
  bzip2,
  xz,
  expat,
  nettle,
  libarchive,
}:

stdenv.mkDerivation {
  pname = "matcha";
  version = "@VERSION@";

  src = fetchurl {
    url = "@URL@";
    sha256 = "@SHA256@";
  };

  nativeBuildInputs = [
    cmake
    ninja
    gzip
  ];
  buildInputs = [
    llvmPackages_19.llvm
    antlr4_9.runtime.cpp
    tbb_2021_11
    fmt
    cli11
    nlohmann_json
    nauty
    zlib
    zstd
    xxHash
    bzip2
    xz
    expat
    nettle
    libarchive
  ];

  cmakeFlags = [
    "-DMATCHA_TESTS=OFF"
    "-DMATCHA_BENCH=OFF"
    "-DMATCHA_LLVM=19"
    "-DMATCHA_LLVM_SHARED=ON"
  ];

  meta = {
    description = "Exact subgraph matching: counts and matches of patterns in graphs of millions of edges";
    license = lib.licenses.asl20;
    mainProgram = "matcha";
    platforms = [ "x86_64-linux" ];
  };
}
