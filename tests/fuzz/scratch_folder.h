#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace matcha::fuzz {

/// A folder private to this user, removed by the destructor.
struct ScratchFolder {
  ScratchFolder() {
    char made[] = "/tmp/matcha-fuzz-XXXXXX";
    if (::mkdtemp(made) == nullptr) std::abort();
    path = made;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path); }

  /// Writes a file that others may neither read nor write.
  void write(const std::string& name, std::string_view bytes) const {
    const std::string file = path + "/" + name;
    std::ofstream(file, std::ios::binary) << bytes;
    if (::chmod(file.c_str(), S_IRUSR | S_IWUSR) != 0) std::abort();
  }

  std::string path;
};

}  // namespace matcha::fuzz
