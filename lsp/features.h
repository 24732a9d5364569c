#pragma once

#include <functional>
#include <string>

#include "lsp/document.h"

/// The answers to requests about a document, in the form of the protocol; null if there is none.
namespace matcha::tools::lsp {

/// Stores a module of the binary as a file and gives the path: from its name, `std.clique`, and text; empty:
/// impossible.
using ShownModule = std::function<std::string(std::string_view module, std::string_view text)>;

/// Errors and warnings. Those of an imported module are placed at its import.
Json diagnostics(const Document& document);
Json hover(const Document& document, Position position);
Json definition(const Document& document, Position position, const ShownModule& shown);
Json completion(const Document& document, Position position);
Json signature_help(const Document& document, Position position);
/// The types that the program leaves implicit, on the lines from `first` to `last`.
Json inlay_hints(const Document& document, std::size_t first, std::size_t last);
/// The edits of `matcha fmt`; null where it gives none.
Json formatting(const Document& document);
/// The functions of the document.
Json symbols(const Document& document);

/// `def count(f: func(int) -> bool, l: List<int>) -> int`.
std::string signature(const Document& document, const ast::Def& def);

}  // namespace matcha::tools::lsp
