#include "session/ledger/ledger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "session/ledger/plan.h"
#include "session/ledger/program.h"
#include "session/ledger/table.h"

namespace matcha::session::ledger {

namespace {

using pattern::EdgeUse;
using pattern::Subject;

/// The edges of a pattern that was read without columns.
std::vector<EdgeUse> edges_of(const pattern::Pattern& pattern, SourceLoc loc) {
  std::vector<EdgeUse> edges;
  for (int u = 0; u < pattern.size(); ++u) {
    pattern::for_each(pattern.out[pattern::at(u)], [&](int v) {
      if (!pattern.directed && u > v) return;
      EdgeUse edge{"", u, v, pattern.directed ? '>' : '-', {}, loc};
      const std::vector<std::string>& labels = pattern.labels_of(u, v);
      if (labels.empty()) edges.push_back(edge);
      for (const std::string& label : labels) {
        edge.labels = pattern::alternatives(label);
        edges.push_back(edge);
      }
    });
    for (const std::string& label : pattern.loops[pattern::at(u)]) {
      EdgeUse loop{"", u, u, '>', {}, loc};
      if (!label.empty()) loop.labels = pattern::alternatives(label);
      edges.push_back(loop);
    }
  }
  return edges;
}

/// Reads the question from a pattern and its options.
class QuestionReader {
 public:
  QuestionReader(const PatternSource& pattern, const PatternOptions& options, const BindOptions& bind,
                 const Reporter& log, Question& question)
      : pattern_(pattern), options_(options), bind_(bind), log_(log), set_(question.set) {
    set_ = pattern.set();
    if (set_.edges.empty()) set_.edges = edges_of(set_.patterns.front(), set_.loc);
    for (const auto& [u, v] : set_.patterns.front().different) differ(u, v);
    name_times();
    Meaning& meaning = question.meaning;
    // A pattern that names nothing of an edge is about pairs of vertices.
    meaning.by_line = set_.by_line || options.parallel == "keep";
    meaning.match = pattern.match();
    meaning.embeddings = options.embeddings;
    meaning.directed = bind.directed;
    meaning.keep_loops = bind.keep_loops;
    meaning.of_cypher = options.query;
  }

  Status check() const {
    const char* const with = set_.asks_columns()           ? "a pattern with names of edges or conditions"
                             : options_.parallel == "keep" ? "`--parallel keep`"
                                                           : "a pattern with labels beside one with conditions";
    if (set_.motif || set_.cliques || (set_.alternatives && !options_.query)) {
      return refuse(fmt::format("{} is of one pattern of vertices and edges", with), "write its edges: `(a)-[x]->(b)`");
    }
    if (options_.parallel == "merge" && set_.by_line) {
      return refuse("names and conditions of edges are about each line, and `--parallel merge` joins them",
                    "leave `--parallel merge` out");
    }
    const std::pair<bool, const char*> refused[] = {
        {pattern_.induced() == pattern::Induced::Vertex, "--induced vertex"},
        {!options_.per.empty(), "--per"},
        {!pattern_.variables().empty(), "type(r)"},
        {options_.algorithm != "auto", "--algorithm"},
        {options_.plan != 1, "--plan"},
        {options_.unlabelled || options_.unlabelled_edges, "--unlabelled"},
        {!options_.labels.empty(), "--pattern-labels"},
        {bind_.temporal, "--temporal"},
        {!bind_.inputs.empty(), "--in"},
        {!bind_.table.sql.empty(), "--graph-sql"},
    };
    for (const auto& [is_given, option] : refused) {
      if (is_given) return refuse(fmt::format("`{}` is not for {}", option, with), "leave it out");
    }
    if (bind_.graph.empty()) return refuse(fmt::format("{} is answered with a table of edges", with), "give its file");
    return Status::Ok;
  }

 private:
  /// The images of two vertices differ, as a query says.
  void differ(int u, int v) {
    pattern::Condition& term = set_.conditions.emplace_back();
    term.kind = pattern::Condition::Kind::Different;
    term.loc = set_.loc;
    for (const int vertex : {u, v}) {
      pattern::Condition& end = term.parts.emplace_back();
      end.kind = pattern::Condition::Kind::Column;
      end.subject.index = pattern::at(vertex);
    }
  }

  /// The name of an edge alone becomes the column with the times, where its name is known.
  void name_times() {
    std::string time = bind_.table.time.substr(0, bind_.table.time.rfind(':'));
    std::set<std::string> usual;
    for (const pattern::Condition& condition : set_.conditions) {
      pattern::for_each_column(condition, [&usual](const pattern::Condition& column) {
        const bool is_usual = runtime::is_usual_name(column.text, runtime::ColumnRole::Time);
        if (column.subject.of_edge && is_usual) usual.insert(column.text);
      });
    }
    if (time.empty() && usual.size() == 1) time = *usual.begin();
    if (runtime::ColumnRef(time).name.empty()) return;
    const std::function<void(pattern::Condition&)> name = [&](pattern::Condition& term) {
      const bool is_column = term.kind == pattern::Condition::Kind::Column && term.subject.of_edge;
      if (is_column && term.text.empty()) term.text = time;
      std::ranges::for_each(term.parts, name);
    };
    std::ranges::for_each(set_.conditions, name);
  }

  Status refuse(const std::string& message, const std::string& hint) const {
    return log_.error_at(Status::Usage, pattern_.sources(), set_.loc, message, hint);
  }

  const PatternSource& pattern_;
  const PatternOptions& options_;
  const BindOptions& bind_;
  const Reporter& log_;
  pattern::PatternSet& set_;
};

class LedgerReader {
 public:
  LedgerReader(const PatternSource& pattern, const PatternOptions& options, const BindOptions& bind, bool rows,
               const Reporter& log, Ledger& ledger)
      : pattern_(pattern), options_(options), bind_(bind), rows_(rows), log_(log), ledger_(ledger) {}

  Status run(const runtime::IoOptions& io) {
    Status status = take_question(pattern_, options_, bind_, log_, question_);
    Table table;
    if (status == Status::Ok) {
      status = read_table(question_.set, pattern_.sources(), bind_, !options_.query || bind_.table.vertices.empty(), io,
                          log_, table);
    }
    if (status != Status::Ok) return status;
    Diagnostics diagnostics(pattern_.sources());
    std::optional<Plan> plan = plan_of(question_.set, question_.meaning, table, diagnostics);
    std::optional<Program> program;
    if (plan) program = program_of(*plan, question_.meaning, table, columns(*plan), diagnostics);
    if (!program) {
      log_.report(diagnostics);
      return Status::Query;
    }
    ledger_.program = std::move(program->text);
    for (std::size_t at = 0; at < program->lists.size(); ++at) {
      ledger_.lists.emplace_back(Lists::name_of(at), list_of(program->lists[at], *plan, table));
    }
    ledger_.ids_list = program->ids;
    ledger_.universe = table.universe;
    ledger_.notes = std::move(plan->notes);
    take_ids(table);
    describe(table);
    return Status::Ok;
  }

 private:
  std::optional<Columns> columns(const Plan& plan) {
    if (!rows_) return std::nullopt;
    Columns columns = columns_of_rows(pattern_, plan, options_.query, ledger_.names);
    for (const Subject column : columns) ledger_.are_texts.push_back(column.of_edge);
    return columns;
  }

  /// Ids of edges that are text become labels, which rows have as words.
  void take_ids(const Table& table) {
    const bool are_texts = table.edge_ids.type == Column::Type::Text;
    std::vector<std::string> words;
    if (are_texts) {
      for (const std::int64_t code : table.edge_ids.ints) words.push_back(table.texts.text(code));
    }
    const auto dictionary = std::make_shared<const runtime::LabelDictionary>(std::move(words));
    ledger_.dictionary = dictionary;
    if (!are_texts) ledger_.are_texts.assign(ledger_.are_texts.size(), false);
    const auto ids =
        std::ranges::find(ledger_.lists, ledger_.ids_list, &std::pair<std::string, runtime::InputList>::first);
    if (!are_texts || ids == ledger_.lists.end()) return;
    for (std::int64_t& id : ids->second.columns[0].ints) id = dictionary->code(table.texts.text(id)).value_or(0);
  }

  void describe(const Table& table) {
    const Meaning& meaning = question_.meaning;
    ledger_.meaning = text_of(meaning);
    ledger_.table = table.description(meaning.directed, meaning.keep_loops);
    for (const auto* columns : {&table.edges, &table.vertices}) {
      for (const auto& [name, column] : *columns) {
        if (!column.note.empty())
          ledger_.notes.push_back(fmt::format("column {} {}", name.empty() ? "time" : name, column.note));
      }
    }
  }

  const PatternSource& pattern_;
  const PatternOptions& options_;
  const BindOptions& bind_;
  const bool rows_;
  const Reporter& log_;
  Ledger& ledger_;
  Question question_;
};

}  // namespace

bool asks_columns(const PatternSource& pattern, const PatternOptions& options) {
  return pattern.set().asks_columns() || options.parallel == "keep";
}

Status take_question(const PatternSource& pattern, const PatternOptions& options, const BindOptions& bind,
                     const Reporter& log, Question& question) {
  return QuestionReader(pattern, options, bind, log, question).check();
}

std::string text_of(const Meaning& meaning) {
  const char* const maps = meaning.match != pattern::Match::Iso ? "maps"
                           : meaning.embeddings                 ? "maps with different vertices"
                                                                : "subgraphs";
  return fmt::format("pattern: {}; edges: {}", maps, meaning.by_line ? "each line" : "pairs");
}

Columns columns_of_rows(const PatternSource& pattern, const Plan& plan, bool of_query,
                        std::vector<std::string>& names) {
  Columns columns;
  const std::vector<std::string> vertex_names = pattern.vertex_names();
  const std::vector<int> vertices = pattern.row_vertices();
  for (std::size_t at = 0; at < vertices.size(); ++at) {
    columns.push_back({false, static_cast<std::size_t>(vertices[at])});
    names.push_back(vertex_names[at]);
  }
  for (std::size_t e = 0; e < plan.edges.size() && !of_query; ++e) {
    if (plan.edges[e].name.empty()) continue;
    columns.push_back({true, e});
    names.push_back(plan.edges[e].name);
  }
  return columns;
}

Status read_ledger(const PatternSource& pattern, const PatternOptions& options, const BindOptions& bind, bool rows,
                   const runtime::IoOptions& io, const Reporter& log, Ledger& ledger) {
  return LedgerReader(pattern, options, bind, rows, log, ledger).run(io);
}

void bind_ledger(Ledger& ledger, const Signature& program, BoundInputs& out) {
  out.inputs.universe = ledger.universe;
  out.inputs.dictionary = ledger.dictionary;
  for (auto& [name, list] : ledger.lists) out.inputs.lists.emplace(name, std::move(list));
  for (const Signature::Param& param : program.params) {
    out.arguments.emplace_back(static_cast<const runtime::InputList*>(&out.inputs.lists.at(param.name)));
  }
}

}  // namespace matcha::session::ledger
