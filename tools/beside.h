#pragma once

#include <string>
#include <string_view>

namespace matcha::tools {

/// Two texts in two columns. Equal lines are beside each other; between the columns is `|` for lines that differ, `<`
/// for a line of the left text alone and `>` for one of the right. Lines of the left column that are longer than
/// `width` characters are cut with `…`.
std::string beside(std::string_view left, std::string_view right, std::size_t width);

}  // namespace matcha::tools
