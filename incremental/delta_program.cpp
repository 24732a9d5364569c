#include "incremental/delta_program.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "planner/counted.h"
#include "question/read.h"
#include "question/symmetry.h"
#include "session/message_log.h"
#include "session/pattern_source.h"
#include "session/program_patterns.h"
#include "session/vertex_types.h"

namespace matcha::session::stream {

namespace {

using pattern::DeltaAnswer;
using pattern::Pattern;
using runtime::stream::DeltaSearch;

/// The most results of a tuple; more are a list, for which a stream reports the size.
constexpr std::size_t kMostResults = 64;

/// True if two vertices of the program's graph may be joined by several edges with different labels.
bool reads_edge_labels(const frontend::asg::Graph& graph) {
  return std::ranges::any_of(graph.params, [](const frontend::asg::Param& param) {
    return param.type->is_graph() && param.type->elem != nullptr;
  });
}

/// The edge labels that the program uses, in the syntax of patterns; empty, with the reason, if they cannot be
/// expressed.
std::optional<std::vector<std::string>> labels_of_slices(const frontend::asg::Graph& graph, std::string& why) {
  std::vector<std::string> labels;
  for (const frontend::asg::Slice& slice : graph.slices) {
    const frontend::asg::Node* const label = slice.maybe_label;
    if (label == nullptr || label->op == frontend::asg::Op::Param) {
      why = "a label of edges is not in the text of the program";
      return std::nullopt;
    }
    const std::optional<std::string> literal =
        label->op == frontend::asg::Op::Label ? pattern::label_literal(label->text) : std::to_string(label->int_value);
    if (!literal) {
      why = "a label of edges cannot stand in a pattern";
      return std::nullopt;
    }
    labels.push_back(*literal);
  }
  return labels;
}

}  // namespace

Status status_of(DeltaSearch::Ending ending, const Reporter& reporter) {
  switch (ending) {
    case DeltaSearch::Ending::Complete: break;
    case DeltaSearch::Ending::Stopped: return Status::Interrupted;
    case DeltaSearch::Ending::Deadline: return Status::Timeout;
    case DeltaSearch::Ending::Overflow: {
      runtime::Error error;
      error.kind = runtime::ErrorKind::Runtime;
      error.message = "a count of matches is beyond 128 bits";
      return reporter.error(error);
    }
  }
  return Status::Ok;
}

bool DeltaProgram::read_pattern(const ProgramRequest& request, bool directed, std::string& why) {
  const MessageLog log;
  PatternSource source(request.pattern, log);
  if (source.read() != Status::Ok) return false;
  if (source.set().cliques) {
    why = source.set().maximal ? "with an edge, cliques without it become or stop being maximal"
                               : "cliques of more than 12 vertices, and of all sizes, have no program";
    return false;
  }
  if (source.match() != pattern::Match::Iso) {
    why = "maps that are not injective";
    return false;
  }
  is_pattern_ = true;
  induced_ = source.induced();
  for (const Pattern& pattern : source.set().patterns) patterns_.push_back(normal(pattern, induced_));
  embeddings_ = request.pattern.embeddings;
  if (source.set().alternatives || patterns_.size() > kMostResults) {
    why = "there are too many patterns";
    return false;
  }
  if (patterns_.size() == 1 && patterns_.front().counts_edges() && !choose_labels(why)) return false;
  bool takes_away = false;
  for (const Pattern& pattern : patterns_) {
    if (pattern.directed != directed) {
      why = directed ? "the graph has arcs and the pattern has none" : "the graph has no arcs";
      return false;
    }
    takes_away = takes_away || pattern.has_anti_edges();
  }
  only_gains_ = !source.set().motif && !takes_away && (induced_ == pattern::Induced::Edge || source.is_complete());
  if (options_.rows && !embeddings_) {
    least_rows_ = LeastRows::make(patterns_.front());
    if (!least_rows_) {
      why = "the pattern has too many automorphisms";
      return false;
    }
  }
  return true;
}

/// Handles an edge with one of several labels: the sum over all choices.
bool DeltaProgram::choose_labels(std::string& why) {
  const std::optional<std::uint64_t> order = pattern::Symmetry(patterns_.front()).order();
  const __int128 share = embeddings_ ? 1 : static_cast<__int128>(order.value_or(0));
  std::optional<std::vector<pattern::Expansion>> choices =
      pattern::expansions_of(patterns_, {induced_}, pattern::ExpandTo::Embeddings, kMostResults);
  if (options_.rows || share == 0 || kWholeFactor % share != 0 || !choices) {
    why = "edges of the pattern have one of several labels";
    return false;
  }
  patterns_.clear();
  for (pattern::Expansion& choice : *choices) {
    patterns_.push_back(std::move(choice.pattern));
    factors_.push_back(kWholeFactor / share * static_cast<__int128>(choice.factor));
  }
  return true;
}

bool DeltaProgram::read_program(const ProgramRequest& request, bool directed, ProgramNests& nests, std::string& why) {
  if (directed || !request.params.empty() || options_.rows) {
    why = directed ? "the graph has arcs" : options_.rows ? "rows of a program are requested" : "there are parameters";
    return false;
  }
  const ir::Module* const module = nests.maybe_module();
  if (module == nullptr) return false;
  const std::optional<std::vector<std::string>> edge_labels = labels_of_slices(nests.graph(), why);
  if (!edge_labels) return false;
  const LiteralOf literal_of = [&](const std::string& constant) { return nests.literal_of(constant); };
  const std::optional<std::vector<WeightedPattern>> found =
      patterns_of(*module, literal_of, reads_edge_labels(nests.graph()) ? &*edge_labels : nullptr, why);
  if (!found) return false;
  for (const WeightedPattern& one : *found) {
    patterns_.push_back(one.pattern);
    factors_.push_back(one.factor);
  }
  if (patterns_.empty()) why = "the program counts nothing";
  return !patterns_.empty();
}

std::optional<DeltaProgram> DeltaProgram::make(const ProgramRequest& request, const ProgramOptions& options,
                                               bool directed, ProgramNests& nests, std::string& why) {
  DeltaProgram program;
  program.options_ = options;
  const bool is_read = request.text.empty() ? program.read_pattern(request, directed, why)
                                            : program.read_program(request, directed, nests, why);
  if (!is_read) return std::nullopt;
  for (const Pattern& pattern : program.patterns_) {
    if (!pattern::has_delta(pattern, why)) return std::nullopt;
  }
  program.invalidate();
  return program;
}

std::vector<std::string> DeltaProgram::labels() const {
  std::set<std::string> found;
  for (const Pattern& pattern : patterns_) {
    for (const std::string& label : pattern.labels) {
      if (!label.empty()) found.insert(label);
    }
  }
  return {found.begin(), found.end()};
}

std::vector<std::string> DeltaProgram::edge_labels() const {
  std::set<std::string> found;
  for (const Pattern& pattern : patterns_) {
    for (const auto& [arc, labels] : pattern.edge_labels) found.insert(labels.begin(), labels.end());
  }
  return {found.begin(), found.end()};
}

bool DeltaProgram::uses_vertex_types(const runtime::LabelDictionary& dictionary) const {
  const auto is_other = [&](const std::string& label) { return with_types(label, dictionary) != label; };
  return is_pattern_ && std::ranges::any_of(labels(), is_other);
}

bool DeltaProgram::plan(const runtime::stream::DynamicGraph& graph, const NumberOf& class_of, const NumberOf& layer_of,
                        std::string& why) {
  const DeltaAnswer answer = !options_.rows ? DeltaAnswer::Count
                             : embeddings_  ? DeltaAnswer::Embeddings
                                            : DeltaAnswer::Subgraphs;
  queries_.clear();
  for (const Pattern& pattern : patterns_) {
    std::optional<DeltaQuery> query = DeltaQuery::make(pattern, induced_, answer, graph, class_of, layer_of, why);
    if (!query) return false;
    queries_.push_back(std::move(*query));
  }
  return true;
}

bool DeltaProgram::add_delta(std::size_t query, const EdgeDelta& delta, int sign) {
  __int128 change = 0;
  if (__builtin_sub_overflow(delta.more, delta.less, &change)) return false;
  return sign > 0 ? !__builtin_add_overflow(delta_[query], change, &delta_[query])
                  : !__builtin_sub_overflow(delta_[query], change, &delta_[query]);
}

DeltaProgram::Row DeltaProgram::row_of_query(std::size_t query, const std::uint32_t* places,
                                             const DynamicPresent& present, int sign) const {
  Row row(static_cast<std::size_t>(patterns_[query].size()));
  for (std::size_t w = 0; w < row.size(); ++w) {
    row[w] = static_cast<std::uint64_t>(present.id(present.graph().vertex(places[w])));
  }
  if (least_rows_) least_rows_->put(row.data());
  row.push_back(sign > 0 ? 1 : 0);
  return row;
}

DeltaSearch::Ending DeltaProgram::take(DeltaSearch& search, const DynamicPresent& present,
                                       const runtime::stream::EdgeUpdate& edge, int sign) {
  const runtime::stream::DynamicGraph& graph = present.graph();
  const std::uint32_t class_u = graph.class_at(edge.u), class_v = graph.class_at(edge.v);
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    DeltaSearch::Ending ending = DeltaSearch::Ending::Complete;
    if (!options_.rows) {
      EdgeDelta delta;
      ending = queries_[i].count(search, edge, class_u, class_v, delta);
      if (ending == DeltaSearch::Ending::Complete && !add_delta(i, delta, sign)) ending = DeltaSearch::Ending::Overflow;
    } else {
      ending = queries_[i].list(search, edge, class_u, class_v, [&](const std::uint32_t* places, int row_sign) {
        rows_.push_back(row_of_query(i, places, present, sign * row_sign));
      });
    }
    if (ending != DeltaSearch::Ending::Complete) return ending;
  }
  return DeltaSearch::Ending::Complete;
}

void DeltaProgram::add_terms(runtime::stream::SharedTerms& all) {
  const std::size_t before = all.all.size();
  for (const DeltaQuery& query : queries_) query.add_terms(all, options_.rows);
  term_count_ = all.all.size() - before;
}

bool DeltaProgram::take_counts(const __int128* maps, int sign) {
  bool fits = true;
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    EdgeDelta delta;
    fits = queries_[i].add_counts(maps, delta) && add_delta(i, delta, sign) && fits;
    maps += queries_[i].term_count();
  }
  return fits;
}

DeltaProgram::Row DeltaProgram::row_of(std::size_t term, const std::uint32_t* places, const DynamicPresent& present,
                                       int sign) const {
  std::size_t query = 0;
  while (term >= queries_[query].term_count()) term -= queries_[query++].term_count();
  std::vector<std::uint32_t> ordered(static_cast<std::size_t>(patterns_[query].size()));
  const int row_sign = queries_[query].order(term, places, ordered.data());
  return row_of_query(query, ordered.data(), present, sign * row_sign);
}

void DeltaProgram::take_rows(std::vector<Row> rows) {
  rows_.insert(rows_.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
}

void DeltaProgram::recount(const std::vector<Number>& now) {
  recounted_.clear();
  for (const Number& number : now) recounted_.push_back(std::get<__int128>(number));
  delta_.assign(patterns_.size(), 0);
}

void DeltaProgram::turn() {
  if (!only_gains_ || options_.rows) return;
  const std::optional<std::vector<__int128>> so_far = delta();
  at_turn_ = so_far ? std::optional(so_far->front()) : std::nullopt;
}

void DeltaProgram::invalidate() {
  total_.reset();
  delta_.assign(patterns_.size(), 0);
  recounted_.clear();
  at_turn_.reset();
  rows_.clear();
}

/// The rows, without those that were both inserted and deleted.
RowChanges DeltaProgram::row_changes() const {
  std::vector<Row> sorted = rows_;
  const auto is_less = [](std::uint64_t x, std::uint64_t y) {
    return static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
  };
  std::ranges::sort(sorted,
                    [&](const Row& a, const Row& b) { return std::ranges::lexicographical_compare(a, b, is_less); });
  RowChanges changes;
  changes.rows.kinds.assign(static_cast<std::size_t>(patterns_.front().size()), runtime::ElementKind::Vid);
  for (std::size_t first = 0, last = 0; first < sorted.size(); first = last) {
    int sum = 0;
    const auto end = sorted[first].end() - 1;
    while (last < sorted.size() && std::equal(sorted[first].begin(), end, sorted[last].begin())) {
      sum += sorted[last++].back() == 1 ? 1 : -1;
    }
    if (sum == 0) continue;
    changes.rows.words.insert(changes.rows.words.end(), sorted[first].begin(), end);
    changes.signs.push_back(sum > 0 ? 1 : -1);
  }
  return changes;
}

/// The change counted edge by edge, for each result; empty on overflow or if it is not an integer.
std::optional<std::vector<__int128>> DeltaProgram::counted() const {
  std::vector<__int128> result;
  __int128 sum = 0;
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    const bool maps = embeddings_ || !factors_.empty();
    __int128 value = maps ? static_cast<__int128>(queries_[i].automorphisms()) : 1;
    if (__builtin_mul_overflow(value, delta_[i], &value)) return std::nullopt;
    if (factors_.empty()) {
      result.push_back(value);
    } else if (__builtin_mul_overflow(value, factors_[i], &value) || __builtin_add_overflow(sum, value, &sum)) {
      return std::nullopt;
    }
  }
  if (factors_.empty()) return result;
  if (sum % kWholeFactor != 0) return std::nullopt;
  result.push_back(sum / kWholeFactor);
  return result;
}

/// The change since the last answer, for each result.
std::optional<std::vector<__int128>> DeltaProgram::delta() const {
  std::optional<std::vector<__int128>> found = counted();
  for (std::size_t i = 0; found && i < recounted_.size(); ++i) {
    __int128 before = 0;
    if (__builtin_sub_overflow(recounted_[i], std::get<__int128>((*total_)[i]), &before) ||
        __builtin_add_overflow((*found)[i], before, &(*found)[i])) {
      return std::nullopt;
    }
  }
  return found;
}

std::optional<Answer> DeltaProgram::answer() {
  Answer answer;
  answer.how = MaintenanceMethod::Delta;
  if (options_.rows) {
    answer.changes = row_changes();
    answer.plus = answer.changes.count(1);
    answer.minus = answer.changes.count(-1);
    answer.delta = {*answer.plus - *answer.minus};
  } else {
    const std::optional<std::vector<__int128>> changed = delta();
    if (!changed) return std::nullopt;
    answer.delta.assign(changed->begin(), changed->end());
    if (only_gains_) {
      if (!at_turn_) return std::nullopt;
      answer.minus = -*at_turn_;
      answer.plus = changed->front() - *at_turn_;
    }
    if (!recounted_.empty()) {
      answer.how = MaintenanceMethod::Recompute;
      answer.why = "many edges changed, so recounting the graph is faster";
    }
  }
  if (total_) {
    for (std::size_t i = 0; i < total_->size(); ++i) {
      __int128 now = std::get<__int128>((*total_)[i]);
      if (__builtin_add_overflow(now, std::get<__int128>(answer.delta[i]), &now)) return std::nullopt;
      (*total_)[i] = now;
    }
    answer.total = *total_;
  }
  delta_.assign(patterns_.size(), 0);
  recounted_.clear();
  at_turn_.reset();
  rows_.clear();
  return answer;
}

}  // namespace matcha::session::stream
