// Files of the cache of compiled code: bytes that are kept under a key. Code that is loaded has the checksum of its
// header.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/code_cache.h"
#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/scratch_folder.h"

MATCHA_FUZZER(code) {
  using matcha::runtime::CodeCache;
  static const matcha::fuzz::ScratchFolder folder;
  const CodeCache cache(folder.path);
  const std::string name = "0123456789abcdef0123456789abcdef.o";
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  folder.write(name, bytes);
  const CodeCache::Found found = cache.load(name);
  if (found.code && found.code->size() >= size) std::abort();
  // Whatever stood there, code that is stored is found.
  if (!cache.store(name, bytes).empty()) std::abort();
  const CodeCache::Found stored = cache.load(name);
  if (!stored.code || *stored.code != bytes) std::abort();
}
