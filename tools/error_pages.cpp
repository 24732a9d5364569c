#include "tools/error_pages.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "frontend/error_pages.h"
#include "session/compile.h"
#include "session/output_file.h"

namespace matcha::tools {

bool names_error(const std::string& word) {
  std::error_code ignored;
  if (word.empty() || word == "-" || std::filesystem::exists(word, ignored) || is_module(word)) return false;
  return frontend::error_page(word).has_value() || !nearest_word(word, frontend::error_ids()).empty();
}

Status print_error_page(const std::string& id, const ConsoleOptions& options) {
  const Console console(options);
  const std::optional<std::string> page = frontend::error_page(id);
  if (!page) {
    return console.error(Status::Usage, fmt::format("`{}` is neither a file nor the id of an error", id),
                         fmt::format("did you mean `{}`?", nearest_word(id, frontend::error_ids())));
  }
  const runtime::Status written = write_text_file("-", *page);
  return written ? Status::Ok : console.error(written.error());
}

}  // namespace matcha::tools
