#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "question/pattern.h"
#include "runtime/graph/labels.h"

/// Labels of vertices that are several types, as in `Admin;Person`. A pattern asks for types, a program for whole
/// labels.
namespace matcha::session {

/// The types of a label, which has `;` between them, each once and in its form: `1` and `A` of `01;A`. Most have one.
std::vector<std::string> types_of(std::string_view label);
/// Whether a label has all types of another one.
bool has_types(std::string_view label, std::string_view wanted);

/// All words of a dictionary, and the types of those that are several.
std::vector<std::string> words_and_types(const runtime::LabelDictionary& dictionary);

/// The labels of the dictionary that have all types of one of the alternatives of a pattern's label, such as
/// `'Person'|'Shop'`, in a fixed order. If there is none, `label` itself.
std::string with_types(const std::string& label, const runtime::LabelDictionary& dictionary);

/// The same for all vertices of a pattern.
void take_types(pattern::Pattern& pattern, const runtime::LabelDictionary& dictionary);

}  // namespace matcha::session
