#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "codegen/backend.h"
#include "incremental/gpu_opening.h"
#include "incremental/inputs.h"
#include "incremental/rank_partners.h"
#include "runtime/machine.h"
#include "runtime/unfinished_file.h"
#include "session/bind.h"
#include "session/pattern_list.h"
#include "session/version.h"
#include "tools/gpu_options.h"
#include "tools/run_cluster.h"
#include "tools/stream_run.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

namespace st = session::stream;

/// The reporter that an engine keeps: the console outlives it.
std::shared_ptr<const Reporter> shared(const Console& console) {
  return std::shared_ptr<const Reporter>(std::shared_ptr<const Reporter>(), &console);
}

bool is_program(const std::string& file) { return file.ends_with(".mt") || is_module(file); }

/// From options to what a stream is made of, and its run.
class StreamVerb {
 public:
  explicit StreamVerb(const StreamOptions& options)
      : options_(options), console_(options.console), session_(console_, options.timeout) {
    parts_.updates = options.updates;
    update_columns_ = take_columns(parts_.updates);
    if (options.threads != 0) threads_.emplace(options.threads);
  }

  Status all() {
    Status status = session_.leave(steps());
    if (options_.team != nullptr) status = leave_ranks(status);
    if (codegen::compiles_in_background() || st::GpuOpening::is_any_under_way()) {
      std::fflush(nullptr);
      runtime::UnfinishedFile::discard_all();
      std::_Exit(exit_code(status));
    }
    return status;
  }

 private:
  using Step = Status (StreamVerb::*)();

  /// Where one has failed, the others wait for what it would have counted.
  Status leave_ranks(Status status) const {
    ClusterOptions cluster;
    cluster.team = options_.team;
    return leave_team(cluster, console_, status, status == Status::Ok);
  }

  Status steps() {
    for (const Step step : {&StreamVerb::check, &StreamVerb::find_programs, &StreamVerb::find_inputs,
                            &StreamVerb::open_state, &StreamVerb::read_graph, &StreamVerb::add_programs}) {
      const Status status = (this->*step)();
      if (status != Status::Ok) return status;
      if (session_.stopped()) return session_.stop_early();
    }
    if (options_.team != nullptr) {
      const runtime::Status agreed = options_.team->agree(words_of_ranks());
      if (!agreed) return console_.error(agreed.error());
      parts_.partners = std::make_unique<st::RankPartners>(*options_.team);
    }
    return run_.emplace(options_, console_, session_, std::move(parts_)).all();
  }

  Status check() {
    Status status = choose_tier(options_.simd, console_, parts_.run.tier);
    if (status == Status::Ok) status = options_.table.check(console_);
    if (status != Status::Ok) return status;
    if (options_.slide == "0" || options_.window == "0") {
      return console_.error(Status::Usage, "a window or a slide has some length", "such as 15m, 1h or 30d");
    }
    status = check_gpus();
    if (status == Status::Ok) status = check_columns();
    if (status != Status::Ok) return status;
    if (!options_.matches.empty()) {
      parts_.row_format = row_format(options_.matches);
      const bool is_text =
          parts_.row_format && parts_.row_format->compression == runtime::Compression::None &&
          (parts_.row_format->kind == RowFormat::Kind::Text || parts_.row_format->kind == RowFormat::Kind::Ndjson);
      if (!is_text) {
        return console_.error(Status::Usage,
                              fmt::format("no rows of a stream can be written as `{}`", options_.matches),
                              "they are written to .tsv, .csv, .txt and .ndjson, as they come");
      }
    }
    if (options_.state.empty()) return Status::Ok;
    if (options_.matches == "-" && options_.out == "-") {
      return console_.error(Status::Usage, "`--state` needs to know which answers are out, and `--matches -` has none",
                            "give the answers a file: `--out FILE`");
    }
    return Status::Ok;
  }

  Status check_columns() const {
    if (update_columns_.empty()) return Status::Ok;
    if (!options_.temporal) {
      return console_.error(Status::Usage, "the columns of updates are those of lines with a time", "add `--temporal`");
    }
    if (update_columns_.size() == 3 && options_.time.empty()) return Status::Ok;
    return console_.error(Status::Usage,
                          fmt::format("updates have 3 columns, source, target and time; {} are named",
                                      update_columns_.size() + (options_.time.empty() ? 0 : 1)),
                          "write `--updates FILE:SRC,DST,TIME`");
  }

  /// Which columns of timed lines are wanted. `--src` and `--dst` are those of the graph at the start, if there is one,
  /// and those of the updates as far as their heading has these names.
  st::ColumnWish column_wish() const {
    st::ColumnWish wish;
    if (!update_columns_.empty()) {
      std::copy(update_columns_.begin(), update_columns_.end(), wish.columns.begin());
      return wish;
    }
    if (!options_.table.src.empty()) {
      wish.columns[st::TimedColumns::kSource] = runtime::ColumnRef(options_.table.src);
      wish.columns[st::TimedColumns::kTarget] = runtime::ColumnRef(options_.table.dst);
    }
    if (!options_.time.empty()) wish.columns[st::TimedColumns::kTime] = runtime::ColumnRef(options_.time);
    wish.is_strict = is_empty();
    return wish;
  }

  Status check_gpus() const {
    if (!options_.gpus) return Status::Ok;
    if (options_.device == "cpu") return check_gpu_options({"--gpus"}, true, console_);
    if (*options_.gpus == 1 || options_.gpu_memory == 0) return Status::Ok;
    return console_.error(Status::Usage, "`--gpu-memory` is for one GPU, and `--gpus` may be more",
                          "of several each holds the whole graph: leave one of both out");
  }

  /// Where to count: GPUs that are asked for by number are wanted.
  std::string device() const { return options_.gpus ? "cuda" : options_.device; }

  /// The stream begins without a vertex.
  bool is_empty() const { return graph_file_.empty() && options_.table.sql.empty(); }

  Status check_graph() const {
    if (!graph_file_.empty() && !options_.table.sql.empty()) {
      return console_.error(Status::Usage, fmt::format("`--graph-sql` and `{}` are both the graph", graph_file_),
                            "leave one out");
    }
    const char* const given = !options_.table.labels.empty()     ? "--labels"
                              : !options_.table.vertices.empty() ? "--vertices"
                                                                 : nullptr;
    if (!is_empty() || given == nullptr) return Status::Ok;
    return console_.error(Status::Usage, fmt::format("`{}` is for the graph at the start, and there is none", given),
                          "a line `v ID LABEL` of the updates gives a vertex a label");
  }

  /// The programs and patterns of the command line, in order.
  Status find_programs() {
    for (const std::string& file : options_.files) {
      if (is_program(file)) {
        ProgramRequest& request = requests_.emplace_back();
        request.compile.file = file;
        request.compile.entry = options_.entry;
        const Status status = read_program(file, session_.cancel(), console_, request.text);
        if (status != Status::Ok) return status;
        parts_.names.push_back(file);
      } else if (graph_file_.empty()) {
        graph_file_ = file;
      } else {
        return console_.error(Status::Usage, fmt::format("`{}` and `{}`: a stream has one graph", graph_file_, file),
                              "programs end in .mt");
      }
    }
    const Status is_one_graph = check_graph();
    if (is_one_graph != Status::Ok) return is_one_graph;
    std::vector<PatternOptions> patterns;
    for (const std::string& text : options_.patterns) {
      PatternOptions& one = patterns.emplace_back(options_.pattern);
      one.text = text;
      one.name = fmt::format("<pattern {}>", patterns.size());
    }
    if (!options_.pattern_list.empty()) {
      runtime::Result<std::vector<PatternOptions>> listed = read_pattern_list(options_.pattern_list, options_.pattern);
      if (!listed) return console_.error(listed.error());
      patterns.insert(patterns.end(), listed->begin(), listed->end());
    }
    for (PatternOptions& pattern : patterns) {
      parts_.names.push_back(pattern.text);
      requests_.emplace_back().pattern = std::move(pattern);
    }
    if (requests_.empty()) {
      return console_.error(Status::Usage, "there is no program and no pattern",
                            "matcha stream PROGRAM.mt [GRAPH] --updates FILE, or --pattern P");
    }
    if (!options_.matches.empty() && requests_.size() > 1) {
      return console_.error(Status::Usage, "`--matches` is for one program", "of several the answers are counted");
    }
    for (ProgramRequest& request : requests_) {
      request.params = options_.params;
      request.order = options_.order;
      request.device = device() == "auto" ? "cpu" : device();
      request.tier = options_.tier;
      request.code_folder = options_.code_folder;
      request.gpu.code_folder = options_.code_folder;
      request.gpu.gpus = options_.gpus.value_or(1);
      request.gpu.turn = options_.gpu_turn;
    }
    return Status::Ok;
  }

  /// Which programs read labels of edges.
  Status find_inputs() {
    for (const ProgramRequest& request : requests_) {
      st::ProgramNeeds needs;
      const Status status =
          st::find_needs(request, options_.directed, !options_.matches.empty(), nullptr, console_, needs);
      if (status != Status::Ok) return status;
      edge_labels_ = edge_labels_ || needs.edge_labels;
    }
    if (edge_labels_ && options_.temporal) {
      return console_.error(Status::Usage, "a stream does not keep times of edges for programs that read them",
                            "with `--temporal` a program takes edges without information");
    }
    const std::size_t wanted = edge_labels_ ? 3 : 2, given = is_empty() ? 0 : graph_spec().columns.size();
    if (given == 0 || given == wanted) return Status::Ok;
    return console_.error(
        Status::Usage, fmt::format("the graph needs {} columns, and {} are named", wanted, given),
        edge_labels_ ? "the ends of an edge and its label: `--edge-label COLUMN`" : "the ends of an edge");
  }

  /// What ranks must have in common to come to the same batches.
  std::string words_of_ranks() const {
    const st::Present& graph = parts_.engine->present();
    return fmt::format("{} {} {} {} {} {} {} {}", session::matcha_version(), settings().dump(),
                       options_.batch.value_or(0), options_.blank, options_.strict, device(), graph.edge_count(),
                       graph.vertex_count());
  }

  /// What a state is for: with other settings its log means something else.
  nlohmann::json settings() const {
    nlohmann::json programs = nlohmann::json::array();
    for (const ProgramRequest& request : requests_) {
      programs.push_back({{"text", request.text},
                          {"entry", request.compile.entry},
                          {"pattern", request.pattern.text},
                          {"labels", request.pattern.labels},
                          {"induced", request.pattern.induced},
                          {"embeddings", request.pattern.embeddings},
                          {"unlabelled", request.pattern.unlabelled},
                          {"unlabelled-edges", request.pattern.unlabelled_edges}});
      // Folders of versions before do not say it.
      if (request.pattern.match != "iso") programs.back()["match"] = request.pattern.match;
    }
    const TableBinding& table = options_.table;
    return {{"programs", std::move(programs)},
            {"param", options_.params},
            {"graph", graph_file_},
            {"graph-sql", table.sql},
            {"src", table.src},
            {"dst", table.dst},
            {"edge-label", table.edge_label},
            {"header", table.header},
            {"ids", table.ids},
            {"no-literals", table.no_literals},
            {"vertices", table.vertices},
            {"id", table.id},
            {"label", table.label},
            {"labels", table.labels},
            {"directed", options_.directed},
            {"updates", options_.updates},
            {"time", options_.time},
            {"temporal", options_.temporal},
            {"window", options_.window},
            {"slide", options_.slide},
            {"lateness", options_.lateness},
            {"matches", !options_.matches.empty()},
            {"json", options_.json},
            {"no-total", options_.no_total}};
  }

  Status open_state() {
    if (options_.state.empty()) return Status::Ok;
    runtime::Result<st::StateFolder> folder = st::StateFolder::open(options_.state);
    if (!folder) return console_.error(folder.error());
    parts_.state.emplace(std::move(*folder));
    parts_.settings = settings();
    if (!parts_.state->is_begun()) return Status::Ok;
    const runtime::Result<nlohmann::json> facts = parts_.state->read_facts();
    if (!facts) return console_.error(facts.error());
    const nlohmann::json& kept = facts->at("settings");
    for (const auto& [name, value] : parts_.settings.items()) {
      // What a folder of a version before does not say is in its graph.
      if (!kept.contains(name) || kept.at(name) == value) continue;
      const std::string what =
          name == "programs"
              ? "its programs are others"
              : fmt::format("its {} is {}, not {}", name, kept.value(name, nlohmann::json()).dump(), value.dump());
      return console_.error(Status::Usage,
                            fmt::format("`{}` has the state of another stream: {}", options_.state, what),
                            "run the same command again, or give another folder");
    }
    return Status::Ok;
  }

  /// About how many edges a file of updates changes; 0: there is none.
  std::uint64_t expected_edges() const {
    constexpr std::uint64_t kOfLine = 14, kOfPackedLine = 4;
    std::error_code error;
    if (!std::filesystem::is_regular_file(parts_.updates, error)) return 0;
    const std::uint64_t bytes = std::filesystem::file_size(parts_.updates, error);
    const std::string end = std::filesystem::path(parts_.updates).extension();
    const bool is_packed = end == ".gz" || end == ".zst" || end == ".xz" || end == ".bz2";
    return error ? 0 : bytes / (is_packed ? kOfPackedLine : kOfLine);
  }

  Status read_graph() {
    runtime::Result<session::ResidentGraph::Shared> graph = start_graph();
    if (!graph) return session_.stopped() ? session_.stop_early() : console_.error(graph.error());
    const Status named = find_names(*graph);
    if (named != Status::Ok) return named;
    const runtime::Graph& read = (*graph)->graph();
    using Kind = st::DeltaDevice::Kind;
    st::DeltaDevice gpu;
    gpu.kind = device() == "cuda" ? Kind::Gpu : device() == "cpu" ? Kind::Cpu : Kind::Auto;
    gpu.code_folder = options_.code_folder;
    gpu.bytes = options_.gpu_memory;
    gpu.row_bytes = options_.gpu_rows;
    gpu.gpus = options_.gpus.value_or(1);
    gpu.turn = static_cast<std::uint32_t>(options_.gpu_turn);
    gpu.expected_edges = expected_edges();
    parts_.engine = options_.recompute ? st::make_recompute(*graph, shared(console_))
                                       : st::make_delta(*graph, shared(console_), st::read_here, gpu);
    if (parts_.engine == nullptr) return Status::Resource;
    parts_.rules.directed = read.facts().directed;
    parts_.rules.lines = {options_.temporal, edge_labels_, maybe_names_, is_empty() && maybe_names_ == nullptr};
    parts_.rules.columns = column_wish();
    parts_.check_text_ids = [this] { return check_text_ids(); };
    if (!options_.window.empty()) parts_.rules.width = seconds_of(options_.window);
    if (!options_.lateness.empty()) parts_.rules.lateness = *seconds_of(options_.lateness);
    if (!options_.slide.empty()) parts_.rules.slide = seconds_of(options_.slide);
    return st::add_empty_word(*parts_.engine, **graph);
  }

  /// Programs cannot compute with ids that are text.
  Status check_text_ids() const {
    const runtime::Universe text =
        runtime::Universe::named(std::make_shared<const runtime::IdNames>(runtime::IdNames::text_ids({}, {})));
    for (const ProgramRequest& request : requests_) {
      st::ProgramNeeds needs;
      const Status status =
          st::find_needs(request, options_.directed, !options_.matches.empty(), &text, console_, needs);
      if (status != Status::Ok) return status;
    }
    return Status::Ok;
  }

  /// Where ids are text, programs see numbers of vertices, as those that come have some too.
  Status find_names(session::ResidentGraph::Shared& graph) {
    if (parts_.state && parts_.state->is_begun()) {
      const runtime::Result<nlohmann::json> facts = parts_.state->read_facts();
      if (!facts) return console_.error(facts.error());
      if (!facts->contains("names")) return Status::Ok;
      maybe_names_ = std::make_shared<st::VertexNames>();
      if (maybe_names_->restore(facts->at("names").get<std::vector<std::string>>())) return Status::Ok;
      return console_.error(Status::Input, fmt::format("the names of vertices in `{}` are corrupt", options_.state));
    }
    const session::ResidentGraph::Shared read = graph;
    const runtime::Universe& ids = read->graph().universe();
    if (is_empty() && options_.table.ids == "text") {
      maybe_names_ = std::make_shared<st::VertexNames>();
      return check_text_ids();
    }
    if (ids.kind() == runtime::IdKind::Int) return Status::Ok;
    if (ids.kind() == runtime::IdKind::Unsigned) {
      return console_.error(Status::Input, "an id of the graph is a number beyond 64 bits with a sign",
                            "a stream takes smaller numbers, and text");
    }
    const Status fit = check_text_ids();
    if (fit != Status::Ok) return fit;
    maybe_names_ = std::make_shared<st::VertexNames>(*ids.names());
    runtime::Result<runtime::Graph> own = edge_labels_ ? read->informed_view() : read->view();
    if (!own) return console_.error(own.error());
    own->share_universe(std::make_shared<const runtime::Universe>(runtime::Universe::identity(ids.size())));
    if (!edge_labels_) {
      graph = session::ResidentGraph::from_graph(std::move(*own));
      return Status::Ok;
    }
    runtime::Result<session::ResidentGraph::Shared> made = session::ResidentGraph::from_informed(std::move(*own));
    if (!made) return console_.error(made.error());
    graph = std::move(*made);
    return Status::Ok;
  }

  /// The graph at the start. Requires: there is one, and `find_inputs` is done.
  runtime::GraphSpec graph_spec() const {
    runtime::GraphSpec spec;
    spec.name = "G";
    spec.path = graph_file_;
    spec.columns = take_columns(spec.path);
    spec.directed = options_.directed;
    spec.simple = !edge_labels_;
    spec.edge_info = edge_labels_;
    if (edge_labels_) spec.info = runtime::ColumnKind::Label;
    options_.table.put_into(spec);
    return spec;
  }

  runtime::Result<session::ResidentGraph::Shared> start_graph() {
    if (parts_.state && parts_.state->is_begun()) return parts_.state->read_graph(edge_labels_);
    if (is_empty()) {
      runtime::ColumnInput none;
      static const std::int64_t kNoItem = 0;
      none.directed = options_.directed;
      if (edge_labels_) none.edge_labels.codes = {&kNoItem, 0, runtime::IntColumn::Kind::Int64, sizeof(kNoItem)};
      return session::ResidentGraph::from_columns(none);
    }
    runtime::IoOptions io;
    io.cancel = session_.cancel();
    runtime::Result<runtime::LoadedGraph> loaded = runtime::load_graph(graph_spec(), io);
    if (!loaded) return loaded.error();
    console_.note(loaded->report.render());
    if (edge_labels_) return session::ResidentGraph::from_informed(std::move(loaded->graph));
    return session::ResidentGraph::from_graph(std::move(loaded->graph));
  }

  Status add_programs() {
    parts_.run.threads = options_.threads;
    parts_.run.stop_request = session_.stop_request();
    parts_.run.deadline = session_.deadline();
    st::ProgramOptions wanted;
    wanted.rows = !options_.matches.empty();
    wanted.totals = !options_.no_total;
    for (const ProgramRequest& request : requests_) {
      const Status status = parts_.engine->add(request, wanted, shared(console_));
      if (status != Status::Ok) return status;
      const std::string& meaning = parts_.engine->semantics(parts_.engine->size() - 1);
      if (!meaning.empty()) console_.note(meaning);
    }
    return Status::Ok;
  }

  const StreamOptions& options_;
  Console console_;
  Session session_;
  std::optional<runtime::ThreadLimit> threads_;
  std::vector<ProgramRequest> requests_;
  std::string graph_file_;
  std::vector<runtime::ColumnRef> update_columns_;  ///< After the name of the file of updates.
  std::shared_ptr<st::VertexNames> maybe_names_;    ///< Ids are text from the start.
  bool edge_labels_ = false;
  StreamParts parts_;
  /// It is there until the end, so that a stop does not wait for what it has begun, such as compilers for a GPU.
  std::optional<StreamRun> run_;
};

/// What does not fit `--mpi`; Ok: nothing.
Status check_ranks(const StreamOptions& options, const Console& console) {
  const std::pair<bool, const char*> others[] = {
      {!options.matches.empty(), "--matches"},    {!options.state.empty(), "--state"},
      {options.recompute, "--recompute"},         {options.each, "--each"},
      {!options.every.empty(), "--every"},        {options.automatic, "--auto"},
      {options.timeout.has_value(), "--timeout"}, {options.gpu_memory != 0, "--gpu-memory"}};
  for (const auto& [given, name] : others) {
    if (!given) continue;
    return console.error(Status::Usage, fmt::format("`{}` is not for `--mpi`", name),
                         "the ranks of a job share the edges of batches that end where the updates say");
  }
  std::error_code failed;
  std::string file = options.updates;
  take_columns(file);
  if (!std::filesystem::is_regular_file(file, failed)) {
    return console.error(Status::Usage, "with `--mpi` the updates are a file, which every rank reads",
                         "--updates FILE");
  }
  if (options.batch || options.blank || !options.slide.empty()) return Status::Ok;
  return console.error(Status::Usage, "with `--mpi` the updates say where a batch ends",
                       "give --batch, --blank or --slide");
}

Status run_stream(StreamOptions& options) {
  if (options.mpi) {
    options.console.rank = runtime::cluster::launched_rank();
    Status status = check_ranks(options, Console(options.console));
    if (status == Status::Ok) status = join_ranks(options.console, "matcha stream … --mpi", options.team);
    if (status != Status::Ok) return status;
    if (options.device == "auto") options.device = options.gpus ? "cuda" : "cpu";
    options.gpu_turn = runtime::cluster::launched_local_rank();
    if (options.team->rank() != 0) options.out = "/dev/null";
  }
  return StreamVerb(options).all();
}

}  // namespace

void add_stream(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("stream", "Keep the answers of programs while a graph changes");
  auto options = std::make_shared<StreamOptions>();
  add_stream_options(*verb, *options);
  verb->callback([options, &action] { action = [options] { return run_stream(*options); }; });
}

}  // namespace matcha::tools
