#include "driver/stream/delta_program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "driver/message_log.h"
#include "driver/pattern_source.h"
#include "frontend/pattern/symmetry.h"

namespace matcha::driver::stream {

namespace {

using frontend::pattern::DeltaAnswer;
using frontend::pattern::Pattern;
using runtime::stream::DeltaSearch;

/// Rows of patterns with more automorphisms are left to others.
constexpr std::uint64_t kMostAutomorphisms = 5040;

}  // namespace

std::optional<DeltaProgram> DeltaProgram::make(const ProgramRequest& request, const ProgramOptions& options,
                                               bool directed, std::string& why) {
  if (!request.text.empty()) {
    why = "a program, not a pattern";
    return std::nullopt;
  }
  const MessageLog log;
  PatternSource source(request.pattern, log);
  if (source.read() != Status::Ok) return std::nullopt;
  DeltaProgram program;
  program.patterns_ = source.set().patterns;
  program.induced_ = source.induced();
  program.embeddings_ = request.pattern.embeddings;
  program.options_ = options;
  bool takes_away = false;
  for (const Pattern& pattern : program.patterns_) {
    if (pattern.directed != directed) {
      why = directed ? "the graph has arcs and the pattern has none" : "the graph has no arcs";
      return std::nullopt;
    }
    if (!frontend::pattern::has_delta(pattern, why)) return std::nullopt;
    takes_away = takes_away || pattern.has_anti_edges();
  }
  program.only_gains_ = !source.set().motif && !takes_away &&
                        (program.induced_ == frontend::pattern::Induced::Edge || source.is_complete());
  if (options.rows && !program.embeddings_) {
    const auto found = frontend::pattern::Symmetry(program.patterns_.front()).automorphisms(kMostAutomorphisms);
    if (!found) {
      why = "the pattern has too many automorphisms";
      return std::nullopt;
    }
    program.automorphisms_ = *found;
  }
  program.forget();
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

bool DeltaProgram::plan(const runtime::stream::DynamicGraph& graph, const DeltaQuery::ClassOf& class_of,
                        std::string& why) {
  const DeltaAnswer answer = !options_.rows ? DeltaAnswer::Count
                             : embeddings_  ? DeltaAnswer::Embeddings
                                            : DeltaAnswer::Subgraphs;
  queries_.clear();
  for (const Pattern& pattern : patterns_) {
    std::optional<DeltaQuery> query = DeltaQuery::make(pattern, induced_, answer, graph, class_of, why);
    if (!query) return false;
    queries_.push_back(std::move(*query));
  }
  return true;
}

DeltaSearch::Ending DeltaProgram::take(DeltaSearch& search, const DynamicPresent& present, std::uint32_t u,
                                       std::uint32_t v, int sign) {
  const runtime::stream::DynamicGraph& graph = present.graph();
  const std::uint32_t class_u = graph.class_of(graph.vertex(u)), class_v = graph.class_of(graph.vertex(v));
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    DeltaSearch::Ending ending = DeltaSearch::Ending::Complete;
    if (!options_.rows) {
      EdgeDelta delta;
      ending = queries_[i].count(search, u, v, class_u, class_v, delta);
      delta_[i] += sign * (delta.more - delta.less);
    } else {
      const std::size_t width = static_cast<std::size_t>(patterns_[i].size());
      ending = queries_[i].list(search, u, v, class_u, class_v, [&](const std::uint32_t* places, int row_sign) {
        std::vector<std::uint64_t> row(width);
        for (std::size_t w = 0; w < width; ++w) {
          row[w] = static_cast<std::uint64_t>(present.id(graph.vertex(places[w])));
        }
        make_least(row);
        row.push_back(sign * row_sign > 0 ? 1 : 0);
        rows_.push_back(std::move(row));
      });
    }
    if (ending != DeltaSearch::Ending::Complete) return ending;
  }
  return DeltaSearch::Ending::Complete;
}

void DeltaProgram::turn() { at_turn_ = delta_; }

void DeltaProgram::forget() {
  total_.reset();
  delta_.assign(patterns_.size(), 0);
  at_turn_ = delta_;
  rows_.clear();
}

void DeltaProgram::make_least(std::vector<std::uint64_t>& row) const {
  std::vector<std::uint64_t> least = row, other(row.size());
  for (const std::vector<int>& moved : automorphisms_) {
    for (std::size_t v = 0; v < row.size(); ++v) other[v] = row[static_cast<std::size_t>(moved[v])];
    least = std::min(least, other);
  }
  row = std::move(least);
}

void DeltaProgram::make_least(RowSet& rows) const {
  const std::size_t width = rows.kinds.size();
  for (std::size_t at = 0; width != 0 && at + width <= rows.words.size(); at += width) {
    const auto begin = rows.words.begin() + static_cast<std::ptrdiff_t>(at);
    std::vector<std::uint64_t> row(begin, begin + static_cast<std::ptrdiff_t>(width));
    make_least(row);
    std::ranges::copy(row, begin);
  }
}

/// The rows, without those that came and went.
RowChanges DeltaProgram::row_changes() const {
  std::vector<std::vector<std::uint64_t>> sorted = rows_;
  std::ranges::sort(sorted);
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

Answer DeltaProgram::answer() {
  Answer answer;
  answer.how = How::Delta;
  if (options_.rows) {
    answer.changes = row_changes();
    answer.plus = answer.changes.count(1);
    answer.minus = answer.changes.count(-1);
    answer.delta = {*answer.plus - *answer.minus};
  } else {
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      answer.delta.emplace_back(delta_[i] * (embeddings_ ? static_cast<__int128>(queries_[i].automorphisms()) : 1));
    }
    if (only_gains_) {
      const __int128 times = embeddings_ ? static_cast<__int128>(queries_.front().automorphisms()) : 1;
      answer.minus = -at_turn_.front() * times;
      answer.plus = (delta_.front() - at_turn_.front()) * times;
    }
  }
  if (total_) {
    for (std::size_t i = 0; i < total_->size(); ++i) {
      (*total_)[i] = std::get<__int128>((*total_)[i]) + std::get<__int128>(answer.delta[i]);
    }
    answer.total = *total_;
  }
  delta_.assign(patterns_.size(), 0);
  at_turn_ = delta_;
  rows_.clear();
  return answer;
}

}  // namespace matcha::driver::stream
