#include "incremental/stream/opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "incremental/inputs.h"
#include "incremental/rank_partners.h"
#include "ir/support/utf8.h"
#include "session/durations.h"
#include "session/version.h"

namespace matcha::session::stream {

Opening::Opening(const StreamRequest& request, std::shared_ptr<const Reporter> reporter, Verdict verdict,
                 const std::atomic<bool>* maybe_cancel, codegen::RunOptions run, Prepared::Reading reading)
    : request_(request),
      reporter_(std::move(reporter)),
      verdict_(std::move(verdict)),
      cancel_(maybe_cancel),
      reading_(std::move(reading)) {
  parts_.run = std::move(run);
  parts_.updates = request.updates;
  update_columns_ = take_columns(parts_.updates);
}

Status Opening::all() {
  using Step = Status (Opening::*)();
  for (const Step step :
       {&Opening::find_inputs, &Opening::open_state, &Opening::read_graph, &Opening::add_programs, &Opening::agree}) {
    Status status = (this->*step)();
    if (status == Status::Ok) status = verdict_();
    if (status != Status::Ok) return status;
  }
  return Status::Ok;
}

/// Ranks come to the same batches.
Status Opening::agree() {
  if (request_.team == nullptr) return Status::Ok;
  const runtime::Status agreed = request_.team->agree(words_of_ranks());
  if (!agreed) return reporter_->error(agreed.error());
  parts_.partners = std::make_unique<RankPartners>(*request_.team);
  return Status::Ok;
}

ColumnRequest Opening::column_request(const std::vector<runtime::ColumnRef>& named) const {
  ColumnRequest request;
  if (!named.empty()) {
    std::copy_n(named.begin(), request.columns.size(), request.columns.begin());
    return request;
  }
  if (!request_.table.src.empty()) {
    request.columns[TimedColumns::kSource] = runtime::ColumnRef(request_.table.src);
    request.columns[TimedColumns::kTarget] = runtime::ColumnRef(request_.table.dst);
  }
  if (!request_.time.empty()) {
    const std::string time = request_.of_rows ? request_.time.substr(0, request_.time.rfind(':')) : request_.time;
    request.columns[TimedColumns::kTime] = runtime::ColumnRef(time);
  }
  request.is_strict = request_.is_empty();
  return request;
}

Status Opening::read_ledgers() {
  BindOptions bind;
  bind.graph = request_.updates;
  bind.directed = request_.directed;
  bind.table = request_.table;
  bind.table.time = request_.time;
  if (bind.table.time.empty() && !update_columns_.empty()) {
    const runtime::ColumnRef& time = update_columns_[TimedColumns::kTime];
    bind.table.time = time.name.empty() ? std::to_string(time.index) : time.name;
  }
  runtime::IoOptions io;
  io.cancel = cancel_;
  LedgerRows::Request request;
  ledger::Table times;
  if (const Status status = ledger::take_time(bind.table.time, *reporter_, times); status != Status::Ok) return status;
  request.per_second = times.time_per_second;
  request.has_unit = times.has_time_unit;
  request.edge_id = request_.table.edge_id;
  for (std::size_t at = 0; at < request_.programs.size(); ++at) {
    const ProgramRequest& program = request_.programs[at];
    std::unique_ptr<LedgerPattern>& ledger = ledgers_.emplace_back();
    of_rows_[at] = program.of_pattern() && asks_rows(program.pattern, true);
    if (!of_rows_[at]) continue;
    const Status status = LedgerPattern::read(program, bind, io, *reporter_, ledger);
    if (status != Status::Ok) return status;
    request.add(ledger->request);
  }
  constexpr std::size_t kEnds = 3;
  for (std::size_t at = kEnds; at < update_columns_.size(); ++at) {
    if (!update_columns_[at].name.empty()) request.named.push_back(update_columns_[at].name);
  }
  maybe_rows_ = std::make_shared<LedgerRows>(std::move(request));
  return Status::Ok;
}

Status Opening::look_at_programs(const runtime::Universe* maybe_ids, ProgramNeeds& needs) const {
  for (std::size_t at = 0; at < request_.programs.size(); ++at) {
    if (of_rows_[at]) continue;
    ProgramNeeds mine;
    const Status status =
        find_needs(request_.programs[at], request_.directed, !request_.matches.empty(), maybe_ids, *reporter_, mine);
    if (status != Status::Ok) return status;
    needs.edge_labels = needs.edge_labels || mine.edge_labels;
  }
  return Status::Ok;
}

Status Opening::find_inputs() {
  of_rows_.resize(request_.programs.size());
  Status status = Status::Ok;
  ProgramNeeds needs;
  reading_([&] {
    if (request_.of_rows) status = read_ledgers();
    if (status == Status::Ok) status = look_at_programs(nullptr, needs);
  });
  if (status != Status::Ok) return status;
  edge_labels_ = needs.edge_labels;
  if (edge_labels_ && request_.temporal) {
    return reporter_->error(Status::Usage, "a stream does not keep times of edges for programs that read them",
                            "with `--temporal` a program takes edges without information");
  }
  const std::size_t wanted = edge_labels_ ? 3 : 2, given = request_.is_empty() ? 0 : graph_spec().columns.size();
  if (given == 0 || given == wanted) return Status::Ok;
  return reporter_->error(
      Status::Usage, fmt::format("the graph needs {} columns, and {} are named", wanted, given),
      edge_labels_ ? "the ends of an edge and its label: `--edge-label COLUMN`" : "the ends of an edge");
}

std::string Opening::words_of_ranks() const {
  const Present& graph = parts_.engine->present();
  return fmt::format("{} {} {} {} {} {} {} {}", matcha_version(), settings().dump(), request_.batch.value_or(0),
                     request_.blank, request_.strict, request_.device_wanted(), graph.edge_count(),
                     graph.vertex_count());
}

namespace {

/// JSON has no other bytes than those of UTF-8, which names of files may have.
void escape_bytes(nlohmann::json& value) {
  if (value.is_string()) {
    value = escape_invalid_utf8(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (nlohmann::json& item : value) escape_bytes(item);
  }
}

}  // namespace

nlohmann::json Opening::settings() const {
  nlohmann::json programs = nlohmann::json::array();
  for (const ProgramRequest& request : request_.programs) {
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
    if (!request.pattern.parallel.empty()) programs.back()["parallel"] = request.pattern.parallel;
  }
  const TableBinding& table = request_.table;
  nlohmann::json all = {{"programs", std::move(programs)},
                        {"param", request_.programs.front().params},
                        {"graph", request_.graph},
                        {"graph-sql", table.sql},
                        {"src", table.src},
                        {"dst", table.dst},
                        {"edge-label", table.edge_label},
                        {"edge-id", table.edge_id},
                        {"header", table.header},
                        {"ids", table.ids},
                        {"no-literals", table.no_literals},
                        {"vertices", table.vertices},
                        {"id", table.id},
                        {"label", table.label},
                        {"labels", table.labels},
                        {"directed", request_.directed},
                        {"updates", request_.updates},
                        {"time", request_.time},
                        {"temporal", request_.temporal},
                        {"window", request_.window},
                        {"slide", request_.slide},
                        {"lateness", request_.lateness},
                        {"matches", !request_.matches.empty()},
                        {"json", request_.json},
                        {"no-total", request_.no_total}};
  escape_bytes(all);
  return all;
}

Status Opening::open_state() {
  if (request_.state.empty()) return Status::Ok;
  runtime::Result<StateFolder> folder = StateFolder::open(request_.state);
  if (!folder) return reporter_->error(folder.error());
  parts_.state.emplace(std::move(*folder));
  parts_.settings = settings();
  if (!parts_.state->is_begun()) return Status::Ok;
  const runtime::Result<nlohmann::json> facts = parts_.state->read_facts();
  if (!facts) return reporter_->error(facts.error());
  nlohmann::json kept = facts->at("settings");
  kept.emplace("edge-id", "");  // Folders of versions before say it only where it is given.
  for (const auto& [name, value] : parts_.settings.items()) {
    // Folders of earlier versions lack some settings, which their graph has.
    if (!kept.contains(name) || kept.at(name) == value) continue;
    const std::string what = name == "programs" ? "its programs are others"
                                                : fmt::format("its {} is {}, not {}", name,
                                                              kept.value(name, nlohmann::json()).dump(), value.dump());
    return reporter_->error(Status::Usage,
                            fmt::format("`{}` has the state of another stream: {}", request_.state, what),
                            "run the same command again, or give another folder");
  }
  return Status::Ok;
}

std::uint64_t Opening::expected_edges() const {
  constexpr std::uint64_t kOfLine = 14, kOfPackedLine = 4;
  std::error_code error;
  if (!std::filesystem::is_regular_file(parts_.updates, error)) return 0;
  const std::uint64_t bytes = std::filesystem::file_size(parts_.updates, error);
  const std::string end = std::filesystem::path(parts_.updates).extension();
  const bool is_packed = end == ".gz" || end == ".zst" || end == ".xz" || end == ".bz2";
  return error ? 0 : bytes / (is_packed ? kOfPackedLine : kOfLine);
}

void Opening::take_lengths() {
  if (!request_.window.empty()) parts_.rules.width = seconds_of(request_.window);
  if (!request_.lateness.empty()) parts_.rules.lateness = *seconds_of(request_.lateness);
  if (!request_.slide.empty()) parts_.rules.slide = seconds_of(request_.slide);
}

Status Opening::read_graph() {
  runtime::Result<ResidentGraph::Shared> graph = start_graph();
  if (!graph) return verdict_() != Status::Ok ? verdict_() : reporter_->error(graph.error());
  if (const Status named = find_names(*graph); named != Status::Ok) return named;
  const runtime::Graph& read = (*graph)->graph();
  using Kind = DeltaDevice::Kind;
  DeltaDevice gpu;
  gpu.kind = request_.device_wanted() == "cuda"  ? Kind::Gpu
             : request_.device_wanted() == "cpu" ? Kind::Cpu
                                                 : Kind::Auto;
  gpu.code_folder = request_.code_folder;
  gpu.bytes = request_.gpu_memory;
  gpu.row_bytes = request_.gpu_rows;
  gpu.gpus = request_.gpus.value_or(1);
  gpu.turn = static_cast<std::uint32_t>(request_.gpu_turn);
  gpu.expected_edges = expected_edges();
  parts_.engine = request_.only_recomputes() ? make_recompute(*graph, reporter_, reading_)
                                             : make_delta(*graph, reporter_, reading_, gpu);
  if (parts_.engine == nullptr) return Status::Resource;
  if (maybe_rows_ != nullptr) {
    parts_.engine = with_ledgers(std::move(parts_.engine), std::move(ledgers_), maybe_rows_, reading_);
    if (!std::ranges::all_of(of_rows_, std::identity())) parts_.maybe_pairs.emplace(read.facts().directed);
  }
  parts_.rules.directed = read.facts().directed;
  parts_.rules.lines = {request_.temporal, edge_labels_, maybe_names_, request_.is_empty() && maybe_names_ == nullptr};
  parts_.rules.lines.maybe_rows = maybe_rows_;
  parts_.rules.columns = column_request(update_columns_);
  if (maybe_rows_ != nullptr && !request_.graph.empty()) {
    TableFile& table = parts_.table.emplace(TableFile{request_.graph, {}});
    const std::vector<runtime::ColumnRef> named = take_columns(table.path);
    table.columns = column_request(named);
  }
  parts_.check_text_ids = [this] { return check_text_ids(); };
  take_lengths();
  return add_empty_word(*parts_.engine, **graph);
}

Status Opening::check_text_ids() const {
  const runtime::Universe text =
      runtime::Universe::named(std::make_shared<const runtime::IdNames>(runtime::IdNames::text_ids({}, {})));
  ProgramNeeds needs;
  Status status = Status::Ok;
  reading_([&] { status = look_at_programs(&text, needs); });
  return status;
}

Status Opening::find_names(ResidentGraph::Shared& graph) {
  if (parts_.state && parts_.state->is_begun()) {
    const runtime::Result<nlohmann::json> facts = parts_.state->read_facts();
    if (!facts) return reporter_->error(facts.error());
    if (!facts->contains("names")) return Status::Ok;
    maybe_names_ = std::make_shared<VertexNames>();
    if (maybe_names_->restore(facts->at("names").get<std::vector<std::string>>())) return Status::Ok;
    return reporter_->error(Status::Input, fmt::format("the names of vertices in `{}` are corrupt", request_.state));
  }
  const ResidentGraph::Shared read = graph;
  const runtime::Universe& ids = read->graph().universe();
  if (request_.is_empty() && request_.table.ids == "text") {
    maybe_names_ = std::make_shared<VertexNames>();
    return check_text_ids();
  }
  if (ids.kind() == runtime::IdKind::Int) return Status::Ok;
  if (ids.kind() == runtime::IdKind::Unsigned) {
    return reporter_->error(Status::Input, "an id of the graph is a number beyond 64 bits with a sign",
                            "a stream takes smaller numbers, and text");
  }
  if (const Status fit = check_text_ids(); fit != Status::Ok) return fit;
  maybe_names_ = std::make_shared<VertexNames>(*ids.names());
  runtime::Result<runtime::Graph> own = edge_labels_ ? read->informed_view() : read->view();
  if (!own) return reporter_->error(own.error());
  own->share_universe(std::make_shared<const runtime::Universe>(runtime::Universe::identity(ids.size())));
  if (!edge_labels_) {
    graph = ResidentGraph::from_graph(std::move(*own));
    return Status::Ok;
  }
  runtime::Result<ResidentGraph::Shared> made = ResidentGraph::from_informed(std::move(*own));
  if (!made) return reporter_->error(made.error());
  graph = std::move(*made);
  return Status::Ok;
}

runtime::GraphSpec Opening::graph_spec() const {
  runtime::GraphSpec spec;
  spec.name = "G";
  spec.path = request_.graph;
  spec.columns = take_columns(spec.path);
  spec.directed = request_.directed;
  spec.simple = !edge_labels_;
  spec.edge_info = edge_labels_;
  if (edge_labels_) spec.info = runtime::ColumnKind::Label;
  request_.table.put_into(spec);
  return spec;
}

runtime::Result<ResidentGraph::Shared> Opening::start_graph() {
  if (parts_.state && parts_.state->is_begun()) return parts_.state->read_graph(edge_labels_);
  if (request_.is_empty()) {
    runtime::ColumnInput none;
    static const std::int64_t kNoItem = 0;
    none.directed = request_.directed;
    if (edge_labels_) none.edge_labels.codes = {&kNoItem, 0, runtime::IntColumn::Kind::Int64, sizeof(kNoItem)};
    return ResidentGraph::from_columns(none);
  }
  runtime::IoOptions io;
  io.cancel = cancel_;
  runtime::LoadedGraph loaded = MATCHA_TRY(runtime::load_graph(graph_spec(), io));
  reporter_->note(loaded.report.render());
  if (edge_labels_) return ResidentGraph::from_informed(std::move(loaded.graph));
  return ResidentGraph::from_graph(std::move(loaded.graph));
}

Status Opening::add_programs() {
  ProgramOptions wanted;
  wanted.rows = !request_.matches.empty();
  wanted.totals = !request_.no_total;
  wanted.method = request_.recompute ? "recompute" : request_.engine;
  wanted.explains = request_.json;
  for (const ProgramRequest& request : request_.programs) {
    if (const Status status = parts_.engine->add(request, wanted, reporter_); status != Status::Ok) return status;
    const std::string& meaning = parts_.engine->semantics(parts_.engine->size() - 1);
    if (!meaning.empty()) reporter_->note(meaning);
  }
  return Status::Ok;
}

}  // namespace matcha::session::stream
