#include "tests/campaign/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/differential/generator.h"
#include "tests/differential/naive.h"

namespace matcha::campaign {

namespace {

using differential::NaiveValue;

Cell cell_of(const NaiveValue& value) {
  return value.kind == NaiveValue::Kind::Float ? Cell::of_float(value.real) : Cell::of(value.integer);
}

Value value_of(const NaiveValue& value) {
  Value out;
  out.is_list = value.kind == NaiveValue::Kind::List;
  if (!out.is_list) {
    out.cell = cell_of(value);
    return out;
  }
  for (const NaiveValue& item : *value.items) {
    Row& row = out.rows.emplace_back();
    if (item.kind != NaiveValue::Kind::Tuple) {
      row.push_back(cell_of(item));
      continue;
    }
    for (const NaiveValue& part : *item.items) row.push_back(cell_of(part));
  }
  return out;
}

std::optional<Expectation> evaluated(const differential::Program& program, const SampleGraph& graph) {
  const differential::Expectation found = differential::evaluate(program, graph.world);
  if (found.too_long) return std::nullopt;
  Expectation expected;
  for (runtime::TrapCode code : found.all_traps) expected.traps.insert(runtime::trap_message(code));
  switch (found.value.kind) {
    case NaiveValue::Kind::Trap: expected.answer.trap = runtime::trap_message(found.value.code); break;
    case NaiveValue::Kind::Tuple:
      for (const NaiveValue& part : *found.value.items) expected.answer.values.push_back(value_of(part));
      break;
    default: expected.answer.values.push_back(value_of(found.value));
  }
  return expected;
}

Value number(std::uint64_t n) {
  Value value;
  value.cell = Cell::of(n);
  return value;
}

/// The words of labels in a tree.
void find_words(const differential::Node& node, std::set<std::string>& words);

void find_words(const differential::Function& function, std::set<std::string>& words) {
  for (const differential::Binding& binding : function.bindings) find_words(*binding.value, words);
  find_words(*function.result, words);
}

void find_words(const differential::Node& node, std::set<std::string>& words) {
  if (node.op == differential::Op::Label) words.insert(node.name);
  for (const differential::NodePtr& arg : node.args) find_words(*arg, words);
  if (node.function != nullptr) find_words(*node.function, words);
  if (node.maybe_cond != nullptr) find_words(*node.maybe_cond, words);
}

}  // namespace

std::string Subject::text() const { return is_pattern ? options.text : differential::to_text(program); }

std::string Subject::command() const {
  if (!is_pattern) return "matcha run PROGRAM";
  return fmt::format("matcha run --pattern '{}' --induced {} --algorithm {} --plan {}{}{}", options.text,
                     options.induced, options.algorithm, options.plan, options.embeddings ? " --embeddings" : "",
                     rows ? " --matches -" : "");
}

std::optional<Expectation> Subject::expect(const SampleGraph& graph) const {
  if (!is_pattern) return evaluated(program, graph);
  Expectation expected;
  const bool vertex_induced = options.induced == "vertex";
  for (const PlainPattern& pattern : patterns) {
    std::optional<Matches> matches = match(pattern, graph, vertex_induced, rows);
    if (!matches) return std::nullopt;
    if (rows) {
      Value& list = expected.answer.values.emplace_back();
      list.is_list = true;
      for (const std::vector<std::int64_t>& row : matches->rows) {
        Row& cells = list.rows.emplace_back();
        for (std::int64_t id : row) cells.push_back(Cell::of(id));
      }
    } else {
      const std::size_t alike = options.embeddings ? 1 : campaign::automorphisms(pattern, vertex_induced).size();
      expected.answer.values.push_back(number(matches->embeddings / alike));
    }
  }
  Answer answer = normal(std::move(expected.answer));
  if (rows && !options.embeddings) {
    // All maps of one subgraph have become the same.
    std::vector<Row>& found = answer.values[0].rows;
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  expected.answer = std::move(answer);
  return expected;
}

Answer Subject::normal(Answer answer) const {
  if (!is_pattern || answer.failed()) return answer;
  if (motif != 0) {
    // In which order the patterns are counted is not ours to say.
    std::sort(answer.values.begin(), answer.values.end(),
              [](const Value& a, const Value& b) { return a.cell < b.cell; });
    return answer;
  }
  if (!rows || answer.values.size() != 1) return answer;
  for (Row& row : answer.values[0].rows) {
    if (options.embeddings || row.size() != static_cast<std::size_t>(patterns[0].size)) continue;
    Row least = row;
    for (const std::vector<int>& map : automorphisms) {
      Row moved;
      for (int v : map) moved.push_back(row[static_cast<std::size_t>(v)]);
      least = std::min(least, moved);
    }
    row = least;
  }
  std::sort(answer.values[0].rows.begin(), answer.values[0].rows.end());
  return answer;
}

std::vector<Subject> Subject::simpler() const {
  std::vector<Subject> all;
  if (is_pattern) return all;
  for (const differential::Program& smaller : differential::simpler(program)) {
    if (differential::size_of(smaller) > differential::size_of(program)) continue;
    all.emplace_back(*this).program = smaller;
  }
  return all;
}

Subject random_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_in = [&](std::uint64_t n) { return random() % n == 0; };
  Subject subject;
  subject.kind.inputs = true;
  subject.kind.arcs = one_in(2) ? GraphKind::Arcs::Either : GraphKind::Arcs::Undirected;
  if (one_in(2)) subject.kind.vertex_labels = 3;
  subject.kind.label_words = subject.kind.vertex_labels > 0 && one_in(2);
  subject.kind.gaps = subject.kind.vertex_labels > 0 && one_in(3);
  subject.kind.most = 10;
  subject.kind.large = 70;
  const SampleGraph first = random_graph(random(), subject.kind);
  subject.program = one_in(5) ? differential::random_nest(random(), first.world)
                              : differential::random_program(random(), first.world);
  std::set<std::string> words;
  find_words(subject.program.main, words);
  for (const differential::FunctionPtr& helper : subject.program.helpers) find_words(*helper, words);
  subject.words.assign(words.begin(), words.end());
  return subject;
}

Subject random_subject(std::uint64_t seed, int hub) {
  std::mt19937_64 random(seed);
  const std::uint64_t own = random();
  return random() % 5 < 3 ? random_pattern(own, hub) : random_program(own);
}

}  // namespace matcha::campaign
