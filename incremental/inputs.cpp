#include "incremental/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace matcha::session::stream {

namespace {

Status look_at_pattern(const PatternOptions& options, const runtime::Universe* maybe_ids, const Reporter& reporter,
                       ProgramNeeds& needs) {
  PatternSource pattern(options, reporter);
  const Status status = pattern.read();
  if (status == Status::Ok && !pattern.set().constants.empty() && maybe_ids != nullptr &&
      maybe_ids->kind() != runtime::IdKind::Int) {
    return reporter.error(Status::Usage, "a pattern of a stream cannot give vertices where ids are no ints of 64 bits",
                          "give the vertex a label of its own");
  }
  if (status == Status::Ok) needs.edge_labels = pattern.edge_labelled();
  return status;
}

}  // namespace

Status find_needs(const ProgramRequest& request, bool directed, bool wants_rows, const runtime::Universe* maybe_ids,
                  const Reporter& reporter, ProgramNeeds& needs) {
  if (!request.pattern.per.empty()) {
    return reporter.error(Status::Usage, "a stream keeps counts and matches of patterns, and no orbits",
                          "leave `per` out");
  }
  if (!request.pattern.text.empty()) return look_at_pattern(request.pattern, maybe_ids, reporter, needs);
  Compilation compilation(request.compile, reporter);
  if (const Status status = compilation.lower_text(request.text); status != Status::Ok) return status;
  if (wants_rows && !compilation.graph().result->type->is_list()) {
    return reporter.error(Status::Usage,
                          fmt::format("`--matches` is for programs that return a list; `{}` returns `{}`",
                                      compilation.graph().entry, to_string(*compilation.graph().result->type)));
  }
  BindOptions bind;
  bind.graph = "<graph>";
  bind.params = request.params;
  bind.directed = directed;
  const std::optional<BindPlan> plan = plan_binding(compilation.signature(), bind, reporter);
  if (!plan) return Status::Usage;
  if (maybe_ids != nullptr) {
    const runtime::Status fits = check_ids(*plan, *maybe_ids);
    if (!fits) return reporter.error(fits.error());
  }
  for (const ParamPlan& param : plan->params) {
    if (param.kind != ParamPlan::Kind::Graph || !param.graph.edge_info) continue;
    needs.edge_labels = true;
    if (param.graph.info == runtime::ColumnKind::Float) {
      return reporter.error(Status::Usage, "edges of a stream have labels, and the program reads floats of edges");
    }
  }
  return Status::Ok;
}

Status add_empty_word(Engine& engine, const ResidentGraph& start) {
  std::vector<std::string> words = engine.dictionary().words();
  const auto has_negative = [](const std::int64_t* maybe_labels, std::uint64_t count) {
    return maybe_labels != nullptr && std::any_of(maybe_labels, maybe_labels + count, [](std::int64_t label) {
             return label < 0 && label != runtime::kNoLabel;
           });
  };
  if (words.empty()) {
    const runtime::GraphView view = start.graph().view();
    if (has_negative(view.labels, view.universe)) return Status::Ok;
    if (start.maybe_informed() != nullptr) {
      const runtime::GraphView edges = start.maybe_informed()->view();
      if (has_negative(static_cast<const std::int64_t*>(edges.edge_info), edges.arc_count)) return Status::Ok;
    }
  }
  if (engine.dictionary().code("")) return Status::Ok;
  words.emplace_back();
  return engine.set_dictionary(std::make_shared<const runtime::LabelDictionary>(std::move(words)));
}

VertexRules vertex_rules(const Engine& engine, bool forgets) {
  VertexRules rules;
  rules.new_label = engine.dictionary().code("").value_or(runtime::kNoLabel);
  rules.forgets = forgets;
  return rules;
}

namespace {

/// The edges and vertices that rows insert or delete, if an edge is there while at least one row joins its ends.
NetBatch net_edges(const Engine& engine, const std::vector<Update>& rows, PairCounts& pairs, bool forgets) {
  std::vector<Update> edges;
  for (const Update& row : rows) {
    const bool inserts = row.kind == UpdateKind::InsertEdge;
    // A loop inserts its vertex, and no edge.
    const bool is_update = row.u == row.v ? inserts : inserts ? pairs.add(row.u, row.v) : pairs.remove(row.u, row.v);
    if (is_update) edges.push_back(row);
  }
  Netting netting(engine.present(), vertex_rules(engine, forgets));
  netting.expect(edges);
  for (const Update& edge : edges) netting.add(edge);
  return netting.take();
}

}  // namespace

NetBatch net_rows(const Engine& engine, const std::vector<Update>& updates, const LedgerRows& rows,
                  std::optional<PairCounts>& pairs, bool forgets, BatchFacts& facts) {
  NetBatch batch;
  if (pairs) batch = net_edges(engine, updates, *pairs, forgets);
  for (const Update& update : updates) {
    if (update.kind == UpdateKind::InsertEdge) {
      batch.rows.push_back(update.line);
    } else {
      ++batch.rows_left;
    }
  }
  facts.deleted = std::min(batch.rows_left, rows.size());
  facts.inserted = batch.rows.size() - (batch.rows_left - facts.deleted);
  facts.are_dates = rows.has_dates();
  return batch;
}

Status learn_words(Engine& engine, LabelCodes& codes, std::vector<Update>& updates, const std::string& maybe_file,
                   const Reporter& reporter) {
  if (codes.new_words().empty()) return Status::Ok;
  if (!engine.dictionary().code("")) {
    runtime::Error error;
    error.kind = runtime::ErrorKind::Input;
    error.file = maybe_file;
    error.line = updates.empty() ? 0 : updates.back().line;
    error.message = "labels are words here, and negative numbers in the graph";
    return reporter.error(error);
  }
  const std::shared_ptr<const runtime::LabelDictionary> dictionary = codes.extended();
  const Status status = engine.set_dictionary(dictionary);
  if (status == Status::Ok) codes.take(dictionary, updates);
  return status;
}

}  // namespace matcha::session::stream
