# Shared by scripts/wheel: a Debian 11 in a folder, with the libraries that a program for glibc 2.31 is linked with.
# shellcheck shell=bash disable=SC2154

# Of Debian 11; LLVM is among its security updates.
portable_packages=(
  libarchive-dev libexpat1-dev libgcc-10-dev liblzma-dev libxxhash-dev libzstd-dev llvm-19-dev nettle-dev uuid-dev zlib1g-dev
)
# Of Debian 12: headers only, for any C library.
portable_headers=(libcli11-dev libfmt-dev libfmt9 libnauty2-dev libutfcpp-dev nlohmann-json3-dev)
# Of Debian 12: sources of the archives that Debian 11 lacks, or has for programs only.
portable_sources=(antlr4-cpp-runtime bzip2 nauty onetbb)

# make_portable_root <folder>: makes it, or keeps one that is complete. Needs root and a mirror (MATCHA_DEBIAN_MIRROR, or Debian's).
make_portable_root() {
  local folder=$1 mirror=${MATCHA_DEBIAN_MIRROR:-http://deb.debian.org/debian} name link target
  [ -f "$folder/complete" ] && return
  [ "$(id -u)" -eq 0 ] || fail "a Debian in a folder needs root"
  rm -rf "$folder"
  debootstrap --variant=minbase bullseye "$folder" "$mirror" >&2 || fail "debootstrap made no Debian 11 from $mirror"
  cp /etc/resolv.conf "$folder/etc/resolv.conf"
  printf 'deb %s bullseye main\ndeb %s-security bullseye-security main\ndeb-src %s bookworm main\n' "$mirror" "$mirror" "$mirror" \
    > "$folder/etc/apt/sources.list"
  # The mirror's list of security updates names a version of libarchive that it no longer holds.
  printf 'Package: libarchive*\nPin: release n=bullseye-security\nPin-Priority: 1\n' > "$folder/etc/apt/preferences.d/matcha"
  chroot "$folder" apt-get update -q >&2 || fail "apt-get update failed in $folder"
  chroot "$folder" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${portable_packages[@]}" >&2 || fail "apt-get could not install in $folder"
  mkdir -p "$folder/sources" "$folder/headers" "$folder/usr/local/lib"
  chroot "$folder" sh -c "cd /sources && apt-get source -q --download-only ${portable_sources[*]}" >&2 || fail "apt-get gave no sources"
  for name in "${portable_sources[@]}"; do
    mkdir "$folder/sources/$name"
    tar -xf "$folder/sources/${name}"_*.orig.tar.* -C "$folder/sources/$name" || fail "no source of $name"
  done
  # Its archive has two folders at the top; the others one.
  for name in bzip2 nauty onetbb; do
    mv "$folder/sources/$name"/* "$folder/sources/$name.only" && rmdir "$folder/sources/$name" && mv "$folder/sources/$name.only" "$folder/sources/$name"
  done
  (cd "$folder/headers" && apt-get download -q "${portable_headers[@]}" >&2) || fail "apt-get could not download headers"
  for name in "$folder/headers"/*.deb; do dpkg -x "$name" "$folder"; done
  # The unwinder of g++ 12 needs glibc 2.35.
  cp "$folder/usr/lib/gcc/x86_64-linux-gnu/10/libgcc_eh.a" "$folder/usr/local/lib"
  # Links that begin at the top would leave the folder.
  find "$folder/usr/lib" "$folder/usr/lib64" -type l -lname '/*' -printf '%p %l\n' |
    while read -r link target; do ln -sfnr "$folder$target" "$link"; done
  (cmake -S "$root/scripts/portable" -B "$folder/sources/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr/local \
    -DCMAKE_TOOLCHAIN_FILE="$root/scripts/portable/toolchain.cmake" -DMATCHA_SOURCES="$folder/sources" &&
    DESTDIR="$folder" cmake --build "$folder/sources/build" --target install) >&2 || fail "the libraries could not be built"
  touch "$folder/complete"
}
