#include "ir/support/source.h"

#include <utility>

namespace matcha {

std::uint32_t SourceManager::add(std::string name, std::string text) {
  std::unique_ptr<File> file = std::make_unique<File>(File{std::move(name), std::move(text), {0}});
  const std::string& content = file->text;
  for (std::size_t i = 0; i < content.size(); ++i) {
    bool lone_return = content[i] == '\r' && (i + 1 == content.size() || content[i + 1] != '\n');
    if (content[i] == '\n' || lone_return) file->line_starts.push_back(i + 1);
  }
  files_.push_back(std::move(file));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string_view SourceManager::name(std::uint32_t file) const {
  return file < files_.size() ? std::string_view(files_[file]->name) : std::string_view();
}

std::string_view SourceManager::text(std::uint32_t file) const {
  return file < files_.size() ? std::string_view(files_[file]->text) : std::string_view();
}

std::string_view SourceManager::line(std::uint32_t file, std::uint32_t line) const {
  if (file >= files_.size() || line == 0 || line > files_[file]->line_starts.size()) return {};
  const File& f = *files_[file];
  std::size_t begin = f.line_starts[line - 1];
  std::size_t end = line < f.line_starts.size() ? f.line_starts[line] : f.text.size();
  std::string_view text = std::string_view(f.text).substr(begin, end - begin);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace matcha
