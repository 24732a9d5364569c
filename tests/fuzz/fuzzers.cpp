// The program of all fuzz targets. With libFuzzer the variable MATCHA_FUZZER names the target; without it, the first
// argument does, and the program runs the files and folders that follow.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "tests/fuzz/fuzzer.h"

namespace matcha::fuzz {
namespace {

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

}  // namespace

Registration::Registration(const char* name, Target target) { targets().emplace(name, target); }

Target find_target(const char* name) {
  const auto found = targets().find(name);
  return found == targets().end() ? nullptr : found->second;
}

}  // namespace matcha::fuzz

#ifdef MATCHA_LIBFUZZER

namespace {
matcha::fuzz::Target chosen = nullptr;
}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const name = std::getenv("MATCHA_FUZZER");
  chosen = name == nullptr ? nullptr : matcha::fuzz::find_target(name);
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "error: MATCHA_FUZZER names no target\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen(data, size);
  return 0;
}

#else

namespace {

int replay(matcha::fuzz::Target target, const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::printf("replay %s (%zu bytes)\n", file.c_str(), bytes.size());
  std::fflush(stdout);
  target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

/// Fails if the target is unknown or there is no file.
int main(int argc, char** argv) {
  const matcha::fuzz::Target target = argc < 2 ? nullptr : matcha::fuzz::find_target(argv[1]);
  if (target == nullptr) {
    std::fprintf(stderr, "usage: fuzzers TARGET FILE...\n");
    return 2;
  }
  int count = 0;
  for (int i = 2; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      count += replay(target, argv[i]);
      continue;
    }
    for (const std::filesystem::directory_entry& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) count += replay(target, entry.path());
    }
  }
  std::printf("replayed %d files\n", count);
  return count == 0;
}

#endif
