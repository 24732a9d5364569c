#include <span>

#include "tools/verbs.h"

namespace matcha::tools {

namespace {

/// The program of the first answer links no streams, services and editors.
constexpr VerbEntry kVerbs[] = {
    {"check", add_check},    {"build", nullptr},   {"pattern", nullptr}, {"motifs", nullptr}, {"query", nullptr},
    {"explain", nullptr},    {"merge", add_merge}, {"bench", nullptr},   {"serve", nullptr},  {"stream", nullptr},
    {"graph", nullptr},      {"fmt", nullptr},     {"lsp", nullptr},     {"doc", nullptr},    {"doctor", nullptr},
    {"completion", nullptr}, {"man", nullptr}};

}  // namespace

std::span<const VerbEntry> program_verbs() { return kVerbs; }

}  // namespace matcha::tools
