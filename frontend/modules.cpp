#include <fstream>
#include <utility>

#include <stdlib_text.h>

#include "frontend/frontend.h"

namespace matcha::frontend {
namespace {

constexpr std::string_view kFolder = "stdlib/";
constexpr std::string_view kSuffix = ".mt";

}  // namespace

ModuleReader default_module_reader(std::string directory) {
  return [directory = std::move(directory)](const std::string& module) -> std::optional<ModuleText> {
    bool embedded = module.starts_with("std.");
    std::string path = embedded ? std::string(kFolder) : directory + "/";
    for (char c : module.substr(embedded ? 4 : 0)) path += c == '.' ? '/' : c;
    path += kSuffix;
    if (embedded) {
      std::string_view text = stdlib::embedded_text(path);
      if (text.data() == nullptr) return std::nullopt;
      return ModuleText{"<" + module + ">", std::string(text)};
    }
    if (directory.empty()) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    std::string text;
    while (in && text.size() <= kMostModuleBytes) {
      const std::size_t size = text.size();
      text.resize(size + kBlock);
      in.read(text.data() + size, kBlock);
      text.resize(size + static_cast<std::size_t>(in.gcount()));
    }
    return ModuleText{path, std::move(text)};
  };
}

std::vector<std::string> stdlib_modules() {
  std::vector<std::string> out;
  for (std::string_view path : stdlib::embedded_paths()) {
    std::string_view name = path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size());
    out.push_back("std." + std::string(name));
  }
  return out;
}

}  // namespace matcha::frontend
