#include <span>

#include "tools/verbs.h"

namespace matcha::tools {

namespace {

constexpr VerbEntry kVerbs[] = {
    {"check", add_check},  {"build", add_build},     {"pattern", add_pattern}, {"motifs", add_motifs},
    {"query", add_query},  {"explain", add_explain}, {"merge", add_merge},     {"bench", add_bench},
    {"serve", add_serve},  {"stream", add_stream},   {"graph", add_graph},     {"fmt", add_fmt},
    {"lsp", add_lsp},      {"doc", add_doc},         {"doctor", add_doctor},   {"completion", add_completion, true},
    {"man", add_man, true}};

}  // namespace

std::span<const VerbEntry> program_verbs() { return kVerbs; }

}  // namespace matcha::tools
