#pragma once

#include <functional>
#include <string>

#include "lsp/document.h"

/// The answers to requests about a document, as the protocol has them; null where there is none.
namespace matcha::tools::lsp {

/// Where a module of the binary can be read as a file: its name, `std.clique`, and text to a path; empty: nowhere.
using ShownModule = std::function<std::string(std::string_view module, std::string_view text)>;

/// Errors and warnings. Those of an imported module stand at its import.
Json diagnostics(const Document& document);
Json hover(const Document& document, Position position);
Json definition(const Document& document, Position position, const ShownModule& shown);
Json completion(const Document& document, Position position);
Json signature_help(const Document& document, Position position);
/// The types that the program does not write, at the lines from `first` on to `last`.
Json inlay_hints(const Document& document, std::size_t first, std::size_t last);
/// The edits that `matcha fmt` would make; null after syntax errors.
Json formatting(const Document& document);
/// The functions.
Json symbols(const Document& document);

/// `def count(f: func(int) -> bool, l: List<int>) -> int`.
std::string signature(const Document& document, const ast::Def& def);

}  // namespace matcha::tools::lsp
