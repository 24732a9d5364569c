#include "runtime/graph/formats/registry.h"

#include <algorithm>
#include <iterator>

#include "runtime/graph/formats/readers.h"

namespace matcha::runtime {

namespace detail {

namespace {

constexpr FormatEntry kFormats[] = {
#define MATCHA_FORMAT(enumerator, option, name, recogniser, reader, attributes) \
  {Format::enumerator, option, name, recogniser, reader, attributes},
#include "runtime/graph/formats/formats.def"
#undef MATCHA_FORMAT
};

}  // namespace

std::span<const FormatEntry> formats() { return kFormats; }

const FormatEntry& entry_of(Format format) {
  return *std::find_if(std::begin(kFormats), std::end(kFormats) - 1,
                       [format](const FormatEntry& entry) { return entry.format == format; });
}

Format recognise(std::string_view head) {
  for (const FormatEntry& entry : kFormats) {
    if (entry.maybe_recognise != nullptr && entry.maybe_recognise(head)) return entry.format;
  }
  return Format::Auto;
}

}  // namespace detail

std::string_view format_name(Format format) {
  return format == Format::Auto ? std::string_view("auto") : detail::entry_of(format).name;
}

std::optional<Format> format_of_option(std::string_view word) {
  if (word == "auto") return Format::Auto;
  for (const detail::FormatEntry& entry : detail::formats()) {
    if (entry.option == word) return entry.format;
  }
  return std::nullopt;
}

std::vector<std::string> format_options() {
  std::vector<std::string> words = {"auto"};
  for (const detail::FormatEntry& entry : detail::formats()) words.emplace_back(entry.option);
  return words;
}

}  // namespace matcha::runtime
