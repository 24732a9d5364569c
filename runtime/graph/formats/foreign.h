#pragma once

#include <optional>
#include <string_view>

namespace matcha::runtime::detail {

/// A kind of file that people pass by mistake, or in the hope that it is read.
struct ForeignFormat {
  std::string_view name;  ///< With its article: `a Parquet file`.
  std::string_view hint;  ///< The way round.
};

/// What a file that begins with `head` is, if it is known and not read. `head` has no byte order mark.
std::optional<ForeignFormat> foreign_format(std::string_view head);

}  // namespace matcha::runtime::detail
