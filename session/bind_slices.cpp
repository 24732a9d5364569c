#include "session/bind_slices.h"

#include "ir/unknown_label.h"

namespace matcha::session {

namespace {

using frontend::asg::Node;
using frontend::asg::Op;
using SharedGraph = std::shared_ptr<const runtime::Graph>;

/// The number of a label; nothing, with an error in `diagnostics`, for a word that the run must know and does not.
std::optional<std::int64_t> label_code(const Node& label, const runtime::LabelDictionary& dictionary,
                                       const BoundInputs& bound, Diagnostics& diagnostics) {
  if (label.op == Op::Int) return label.int_value;
  if (label.op == Op::Param) return std::get<std::int64_t>(bound.arguments[static_cast<std::size_t>(label.int_value)]);
  const std::optional<std::int64_t> code = dictionary.code(label.text);
  // Of no edge, not even of one without a label.
  if (!code && bound.may_lack_labels) return runtime::kNoLabel + 1;
  if (!code) {
    ir::LabelWords words;
    words.code = [&](std::string_view word) { return dictionary.code(word); };
    words.words = dictionary.words();
    ir::report_unknown_label(label.text, label.loc, words, diagnostics);
  }
  return code;
}

runtime::Result<SharedGraph> slice_of(const runtime::Graph& graph, const Node& node,
                                      std::optional<std::int64_t> label) {
  const runtime::ArcSide side = node.op == Op::Backwards ? runtime::ArcSide::Sources : runtime::ArcSide::Targets;
  return label ? graph.label_slices().slice(graph, side, *label) : graph.label_slices().backwards(graph);
}

}  // namespace

Status bind_slices(const Compilation& program, const Reporter& reporter, BoundInputs& bound) {
  bound.arguments.resize(program.graph().params.size());
  bound.slices.clear();
  Diagnostics diagnostics(program.sources());
  for (const frontend::asg::Slice& each : program.graph().slices) {
    const runtime::Graph& graph = *std::get<runtime::Graph*>(bound.arguments[each.param]);
    std::optional<std::int64_t> label;
    if (each.maybe_label != nullptr) {
      label = label_code(*each.maybe_label, graph.dictionary(), bound, diagnostics);
      if (!label) continue;
    } else if (!graph.facts().directed) {
      bound.arguments.emplace_back(bound.arguments[each.param]);
      continue;
    }
    const runtime::Result<SharedGraph> slice = slice_of(graph, *each.node, label);
    if (!slice) return reporter.error(slice.error());
    bound.arguments.emplace_back(&bound.slices.emplace_back(runtime::Graph::alias(**slice, *slice)));
  }
  if (!diagnostics.has_errors()) return Status::Ok;
  reporter.report(diagnostics, 0);
  return Status::Query;
}

}  // namespace matcha::session
