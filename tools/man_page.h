#pragma once

#include <string>
#include <vector>

#include "tools/option_facts.h"

namespace matcha::tools {

/// The verbs that have a page: `matcha(1)`, `matcha-run(1)`, `matcha-graph-convert(1)`; deeper ones are in the page
/// above.
std::vector<const VerbFacts*> verbs_with_pages(const VerbFacts& program);

/// `matcha-graph-convert`.
std::string page_name(const VerbFacts& verb);

/// The page of a verb in roff: its options, and and the pages of docs/ on it.
std::string man_page(const VerbFacts& program, const VerbFacts& verb);

}  // namespace matcha::tools
