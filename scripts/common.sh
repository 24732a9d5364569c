# Shared by scripts/demo, scripts/test and .ci/run: what Matcha needs, and how it is configured and built.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Debian 12 packages to build and test. `clang_packages` are for the preset `asan-ubsan` only.
packages=(
  antlr4
  ccache
  cmake
  dpkg-dev
  file
  g++
  libantlr4-runtime-dev
  libarchive-dev
  libbenchmark-dev
  libbz2-dev
  libcli11-dev
  libexpat1-dev
  libfmt-dev
  libgtest-dev
  liblzma-dev
  libnauty2-dev
  librapidcheck-dev
  libtbb-dev
  libxxhash-dev
  libzstd-dev
  llvm-19-dev
  mold
  nettle-dev
  ninja-build
  nlohmann-json3-dev
  python3
  python3-networkx
  python3-numpy
  python3-pytest
  zlib1g-dev
)
clang_packages=(
  clang-19
  libclang-rt-19-dev
)

fail() {
  echo "error: $*" >&2
  exit 1
}

# install_packages <package>...: installs with apt what is missing, and says so; nothing to do is silent.
install_packages() {
  local missing=() package as_root=()
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    fail "this system has no apt; install what these Debian 12 packages hold, then build as README.md says: $*"
  fi
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2> /dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "installing: ${missing[*]}" >&2
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null ||
      fail "not root and no sudo; as root: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)
    "${as_root[@]}" true || fail "sudo is refused; as root: apt-get install --no-install-recommends ${missing[*]}"
  fi
  "${as_root[@]}" apt-get update -q >&2 || fail "apt-get update failed; needed: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" >&2 || fail "apt-get could not install: ${missing[*]}"
}

# build_folder <preset>: where the preset builds, as CMakePresets.json says.
build_folder() {
  if [ "$1" = release ]; then echo "$root/build"; else echo "$root/build-$1"; fi
}

# compile_changes_singly <folder>: takes files that differ from the last commit out of the batches of this build, once and for
# all: compiling one takes some 10 s, a batch up to a minute.
compile_changes_singly() {
  local folder=$1 single changed
  [ -f "$folder/bin/matcha" ] && command -v git > /dev/null || return 0
  single=$(sed -n 's/^MATCHA_SINGLE:[^=]*=//p' "$folder/CMakeCache.txt" | tr ';' '\n')
  changed=$(git -C "$root" diff --name-only HEAD -- '*.cpp' ':!tests' ':!bench' 2> /dev/null) || return 0
  changed=$(printf '%s\n%s\n' "$single" "$changed" | sed '/^$/d' | sort -u)
  [ "$changed" = "$(sed '/^$/d' <<< "$single" | sort -u)" ] ||
    cmake "-DMATCHA_SINGLE=$(paste -sd ';' <<< "$changed")" "$folder" > "$folder/configure.log" 2>&1 || fail "cmake failed: see $folder/configure.log"
}

# build <preset> [target]...: configures when needed and builds. No target means what the preset is for: the tests of the
# scheduler, or everything.
build() {
  local preset=$1 folder log
  shift
  if [ $# -eq 0 ] && [ "$preset" = tsan ]; then set -- scheduler-tests; fi
  folder=$(build_folder "$preset")
  if [ ! -f "$folder/build.ninja" ]; then
    mkdir -p "$folder"
    log="$folder/configure.log"
    echo "configuring $preset in ${folder#"$root"/}" >&2
    (cd "$root" && cmake --preset "$preset") > "$log" 2>&1 || { cat "$log" >&2; fail "cmake failed"; }
  fi
  compile_changes_singly "$folder"
  # What ccache does not have it compiles at once, without a run of the preprocessor before.
  CCACHE_DEPEND=1 cmake --build "$folder" ${1:+--target "$@"} >&2 || fail "the build failed"
}
