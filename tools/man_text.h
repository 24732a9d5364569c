#pragma once

#include <string>
#include <string_view>

/// Text for manual pages: roff, with the macros of man(7).
namespace matcha::tools {

/// Plain text on one or more lines; nothing in it is taken for a request or an escape.
std::string roff_text(std::string_view text);

/// Lines that are kept as they are.
std::string roff_lines(std::string_view lines);

/// The Markdown that docs/ uses: paragraphs, `code`, emphasis, links (their text stays), lists of one level, tables
/// (the first cell names a row), code and headings below `##`.
std::string roff_of_markdown(std::string_view markdown);

/// The text below the heading `## heading` up to the next one of that level; empty if there is none.
std::string_view section_of(std::string_view markdown, std::string_view heading);

}  // namespace matcha::tools
