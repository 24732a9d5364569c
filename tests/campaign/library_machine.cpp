#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "api/matcha.h"
#include "tests/campaign/graph_files.h"
#include "tests/campaign/machine.h"

namespace matcha::campaign {

namespace {

template <auto free>
struct Freed {
  template <typename T>
  void operator()(T* handle) const {
    free(handle);
  }
};
using Options = std::unique_ptr<matcha_options, Freed<matcha_options_free>>;
using Graph = std::unique_ptr<matcha_graph, Freed<matcha_graph_free>>;
using Program = std::unique_ptr<matcha_program, Freed<matcha_program_free>>;
using Result = std::unique_ptr<matcha_result, Freed<matcha_result_free>>;

std::string taken(matcha_error* error) {
  if (error == nullptr) return "failed, and does not say why";
  std::string text = matcha_error_text(error);
  matcha_error_free(error);
  return text;
}

void set(const Options& options, const char* name, const std::string& value) {
  matcha_options_set(options.get(), name, value.c_str(), nullptr);
}

Value value_of(const matcha_result* result, std::size_t at) {
  Value out;
  if (matcha_result_kind(result, at) == MATCHA_FLOAT) {
    out.cell = Cell::of_float(matcha_result_float(result, at));
    return out;
  }
  if (matcha_result_kind(result, at) != MATCHA_LIST) {
    std::int64_t high = 0;
    const std::int64_t low = matcha_result_int(result, at, &high);
    out.cell = Cell::of(static_cast<__int128>(high) << 64 | static_cast<std::uint64_t>(low));
    return out;
  }
  out.is_list = true;
  out.rows.resize(matcha_result_rows(result, at));
  for (std::size_t c = 0; c < matcha_result_columns(result, at); ++c) {
    const std::int64_t* ints = matcha_result_ints(result, at, c);
    const double* floats = matcha_result_floats(result, at, c);
    for (std::size_t i = 0; i < out.rows.size(); ++i) {
      out.rows[i].push_back(ints != nullptr ? Cell::of(ints[i]) : Cell::of_float(floats[i]));
    }
  }
  return out;
}

/// A graph from its file, or from its pairs if they are sufficient.
Graph graph_of(const SampleGraph& sample, const std::filesystem::path& folder, std::string& error) {
  const Options options(matcha_options_new());
  set(options, "directed", sample.directed ? "true" : "false");
  if (!sample.listed) set(options, "header", "no");
  matcha_graph* made = nullptr;
  matcha_error* failed = nullptr;
  matcha_status status = MATCHA_OK;
  if (sample.is_pairs() && sample.noise % 2 == 0) {
    std::vector<std::int64_t> sources, targets;
    for (const auto& [u, v] : sample.world.arcs) {
      sources.push_back(u);
      targets.push_back(v);
    }
    status = matcha_graph_from_edges(sources.data(), targets.data(), sources.size(), options.get(), &made, &failed);
  } else {
    const GraphFiles files(folder, sample);
    if (!files.labels.empty()) set(options, "labels", files.labels);
    status = matcha_graph_read(files.graph.c_str(), options.get(), &made, &failed);
  }
  if (status != MATCHA_OK) error = taken(failed);
  return Graph(made);
}

/// A program on a graph.
class LibraryBound final : public Bound {
 public:
  LibraryBound(matcha_program* program, Graph graph) : program_(program), graph_(std::move(graph)) {}

  Answer run(const Way& way) override {
    const Options options(matcha_options_new());
    set(options, "threads", std::to_string(way.threads));
    matcha_result* result = nullptr;
    matcha_error* failed = nullptr;
    const matcha_status status = matcha_run_now(program_, graph_.get(), options.get(), &result, &failed);
    const Result kept(result);
    Answer answer;
    if (status == MATCHA_ERROR_RUN) {
      answer.trap = taken(failed);
    } else if (status != MATCHA_OK) {
      answer.problem = taken(failed);
    } else {
      for (std::size_t i = 0; i < matcha_result_size(result); ++i) answer.values.push_back(value_of(result, i));
      if (matcha_result_complete(result) == 0) answer.problem = "incomplete";
    }
    return answer;
  }

 private:
  matcha_program* const program_;
  const Graph graph_;
};

/// A program for each order and for the numbers that it gets, which belong to it.
class LibraryCompiled final : public Compiled {
 public:
  LibraryCompiled(const Subject& subject, const Setup& setup, const std::filesystem::path& folder)
      : subject_(subject), setup_(setup), folder_(folder) {}

  std::unique_ptr<Bound> bind(const SampleGraph& graph, const std::string& order, bool) override {
    std::string error;
    matcha_program* const program = program_for(graph, order, error);
    auto bound = std::make_unique<LibraryBound>(program, graph_of(graph, folder_, error));
    bound->problem = error;
    if (!error.empty()) return bound;
    // Whether a pattern fits an order is known when it is compiled, at its first run.
    const Answer first = bound->run({});
    if (is_limit(first.problem)) {
      bound->unfit = first.problem.find('[') == std::string::npos ? "order" : "limit";
    } else if ((first.problem.find("[unknown-label]") != std::string::npos ||
                first.problem.find("have no labels") != std::string::npos) &&
               lacks_labels(graph)) {
      bound->unfit = "no such labels";
    } else {
      bound->problem = first.problem;
    }
    return bound;
  }

 private:
  bool lacks_labels(const SampleGraph& graph) const {
    const std::vector<std::string>& there = graph.world.words;
    return !std::ranges::all_of(subject_.words, [&](const std::string& word) {
      return std::find(there.begin(), there.end(), word) != there.end();
    });
  }

  matcha_program* program_for(const SampleGraph& graph, const std::string& order, std::string& error) {
    const Options options(matcha_options_new());
    set(options, "order", order);
    for (const std::string& pass : setup_.disabled) set(options, "disable-pass", pass);
    std::string key = order;
    for (const differential::Param& param : subject_.program.params) {
      std::string value;
      if (param.name == "k") value = fmt::format("k={}", graph.world.k);
      if (param.name == "r") value = fmt::format("r={}", graph.world.r);
      if (param.name == "c") value = fmt::format("c={}", graph.world.c);
      if (!value.empty()) set(options, "param", value);
      key += " " + value;
    }
    Program& program = programs_[key];
    if (program != nullptr) return program.get();
    matcha_error* failed = nullptr;
    matcha_program* made = nullptr;
    matcha_status status = MATCHA_OK;
    if (subject_.is_pattern) {
      set(options, "induced", subject_.options.induced);
      set(options, "algorithm", subject_.options.algorithm);
      set(options, "plan", std::to_string(subject_.options.plan));
      set(options, "embeddings", subject_.options.embeddings ? "true" : "false");
      set(options, "matches", subject_.rows ? "true" : "false");
      status = matcha_program_pattern(subject_.options.text.c_str(), options.get(), &made, &failed);
    } else {
      status = matcha_program_compile(subject_.text().c_str(), options.get(), &made, &failed);
    }
    if (status != MATCHA_OK) error = taken(failed);
    program.reset(made);
    return made;
  }

  const Subject& subject_;
  const Setup& setup_;
  const std::filesystem::path& folder_;
  std::map<std::string, Program> programs_;
};

class LibraryMachine final : public Machine {
 public:
  explicit LibraryMachine(MachineOptions options) : options_(std::move(options)) {}

  /// One graph without information of edges, and numbers.
  bool takes(const Subject& subject) const override {
    return subject.kind.edge_labels == 0 &&
           std::ranges::none_of(subject.program.params, [](const differential::Param& param) {
             return param.type->kind == differential::Type::Kind::List;
           });
  }
  std::vector<Setup> setups(std::mt19937_64&) const override { return std::vector<Setup>(1); }
  std::vector<Way> ways(const Subject&, std::mt19937_64&) const override {
    return {{std::nullopt, 1, false}, {std::nullopt, 2, false}};
  }
  std::unique_ptr<Compiled> compile(const Subject& subject, const Setup& setup, Tally&) const override {
    return std::make_unique<LibraryCompiled>(subject, setup, options_.scratch);
  }
  std::vector<std::string> floors() const override { return {}; }

 private:
  const MachineOptions options_;
};

}  // namespace

std::unique_ptr<Machine> make_machine(const MachineOptions& options, std::string& problem) {
  if (options.cuda) problem = "libmatcha runs on the CPU";
  return problem.empty() ? std::make_unique<LibraryMachine>(options) : nullptr;
}

}  // namespace matcha::campaign
