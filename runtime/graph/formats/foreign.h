#pragma once

#include <optional>
#include <string_view>

namespace matcha::runtime::detail {

/// A known file format that is not supported, which users pass by mistake.
struct ForeignFormat {
  std::string_view name;  ///< With its article: `a Parquet file`.
  std::string_view hint;  ///< How to convert it.
};

/// The format of a file that begins with `head`, if it is known and unsupported. `head` has no byte order mark.
std::optional<ForeignFormat> foreign_format(std::string_view head);

}  // namespace matcha::runtime::detail
