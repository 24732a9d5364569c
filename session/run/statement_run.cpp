#include "session/run/statement_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "ir/support/utf8.h"
#include "runtime/graph/inputs.h"
#include "session/output_file.h"
#include "session/pictures/match_pictures.h"
#include "session/query/answer.h"
#include "session/query/row_text.h"
#include "session/query/typed_rows.h"
#include "session/row_encoder.h"
#include "session/run/checks.h"
#include "session/version.h"

namespace matcha::session {

namespace {

using Json = nlohmann::ordered_json;
using statement::Value;

class StatementRun {
 public:
  StatementRun(const query::Statement& statement, const SourceManager& sources, const RunRequest& options,
               const RunReporter& console, StopControl& session)
      : statement_(statement), sources_(sources), options_(options), console_(console), session_(session) {
    names_ = statement::names_of(statement);
    is_count_ = statement::is_count(statement);
  }

  Status all() {
    Status status = check();
    if (status == Status::Ok) {
      status = statement::bind_parameters(statement_, sources_, options_.bind.params, console_, parameters_);
    }
    if (status == Status::Ok) status = open();
    if (status == Status::Ok) status = read();
    if (status == Status::Ok) status = run();
    return status == Status::Ok ? finish() : status;
  }

 private:
  Status check() const {
    const std::pair<bool, const char*> refused[] = {
        {options_.device == "cuda", "`--device cuda`"},
        {!options_.gpu_given.empty(), "options of GPUs"},
        {options_.backend != "llvm", "`--backend`"},
        {!options_.bind.table.sql.empty(), "`--graph-sql`"},
        {!options_.bind.table.time.empty(), "`--time`"},
        {is_picture(options_.matches), "pictures"},
        {binds_mtg(options_.bind) && !options_.bind.table.edge_id.empty(), "`--edge-id` of a .mtg"}};
    for (const auto& [is_given, what] : refused) {
      if (!is_given) continue;
      return console_.error_at(Status::Usage, sources_, statement_.loc,
                               fmt::format("{} is not for a query that is more than one pattern", what),
                               "such a query is answered with tables, on a CPU");
    }
    RowFormat format;
    return check_answer_options(options_, options_.pattern, console_, format);
  }

  Status open() {
    const bool is_plain = options_.matches.empty() || options_.matches == "-";
    const std::optional<RowFormat> format = row_format(is_plain ? "rows.csv" : options_.matches);
    if (!format) {
      return console_.error(Status::Usage, fmt::format("no rows can be written as `{}`", options_.matches),
                            "rows are written to .tsv, .csv, .txt, .ndjson, .npy and .arrow, text also packed as .gz "
                            "and .zst");
    }
    format_ = *format;
    if (options_.json && options_.matches.empty()) return Status::Ok;
    if (is_count_ && !options_.matches.empty()) {
      return console_.error(Status::Usage, "`--matches` is for queries that list rows", "`RETURN a`");
    }
    runtime::Result<OutputFile> file = OutputFile::open(is_plain ? "-" : options_.matches, format_.compression);
    if (!file) return console_.error(file.error());
    file_.emplace(std::move(*file));
    return Status::Ok;
  }

  Status read() {
    runtime::IoOptions io;
    io.cancel = session_.cancel();
    const Stopwatch watch;
    const Status status =
        binds_mtg(options_.bind) ? read_mtg() : store_.read(statement_, sources_, options_.bind, io, console_);
    load_ms_ = watch.ms();
    if (session_.stopped()) return session_.stop_early();
    if (status == Status::Ok && !options_.json) {
      const ledger::Table& table = std::as_const(store_).table();
      console_.note(fmt::format("{}: {}{}directed: {} {}, {} vertices", options_.bind.graph, table.how,
                                table.how.empty() ? "" : ", ", store_.relationships(),
                                binds_mtg(options_.bind) ? "edges" : "lines", store_.nodes()));
    }
    return status;
  }

  /// A `.mtg` has labels and no columns.
  Status read_mtg() {
    runtime::GraphSpec spec;
    spec.name = "G";
    spec.path = options_.bind.graph;
    spec.directed = spec.edge_info = spec.keep_loops = spec.may_lack_info = true;
    options_.bind.table.put_into(spec);
    runtime::Result<ResidentGraph::Shared> graph = ResidentGraph::read(spec, session_.cancel());
    if (!graph) return session_.stopped() ? Status::Interrupted : console_.error(graph.error());
    return store_.take(statement_, sources_, **graph, console_);
  }

  Status run() {
    const Stopwatch watch;
    progress_.is_to_stop = [cancel = session_.cancel()] { return cancel->load(std::memory_order_relaxed); };
    session_.watch(StopControl::Stops::Late);
    begin();
    const Status status = statement::run(
        statement_, sources_, parameters_, store_, progress_,
        [this](const Value* row, std::uint64_t weight) { return take(row, weight); }, console_);
    run_ms_ = watch.ms();
    if (progress_.failure && written_ != 0) console_.note(fmt::format("{} rows were written before", written_));
    if (!progress_.is_stopped || progress_.failure) return status;
    if (rows() == 0) return session_.stop_early();
    stopped_ = session_.verdict();
    return Status::Ok;
  }

  /// Rows of the answer so far.
  std::uint64_t rows() const { return !file_ ? json_rows_.count() : is_typed() ? typed_rows_.count() : count_; }

  /// Columns have one type each.
  bool is_typed() const {
    return file_ && (format_.kind == RowFormat::Kind::Npy || format_.kind == RowFormat::Kind::Arrow);
  }

  void begin() {
    if (!file_ || is_typed() || is_count_ || format_.kind == RowFormat::Kind::Ndjson || !format_.heading) return;
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (at != 0) text_ += format_.separator;
      append_name(text_, names_[at], Style::Text, format_.separator);
    }
    text_ += '\n';
  }

  bool take(const Value* row, std::uint64_t weight) {
    // A JSON object is in memory as a whole.
    if (!file_) return json_rows_.take(row, weight, progress_);
    if (is_typed()) return typed_rows_.take(row, weight, progress_);
    std::string line;
    append(row, line);
    constexpr std::size_t kBlock = std::size_t{1} << 16U;
    for (std::uint64_t time = 0; time < weight; ++time) {
      text_ += line;
      ++count_;
      if (text_.size() > kBlock && !put()) return false;
    }
    return true;
  }

  void append(const Value* row, std::string& line) {
    const bool is_json = format_.kind == RowFormat::Kind::Ndjson;
    if (is_json) line += '{';
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (at != 0) line += is_json ? ',' : format_.separator;
      if (is_json) line += Json(names_[at]).dump(-1, ' ', false, Json::error_handler_t::replace) + ":";
      statement::append_cell(line, row[at], store_, is_json ? Style::Json : Style::Text, format_.separator);
    }
    // A line without anything is no row to readers of CSV.
    if (!is_json && line.empty()) line = "\"\"";
    line += is_json ? "}\n" : "\n";
  }

  bool put() {
    file_->write(text_);
    text_.clear();
    written_ = count_;
    progress_.is_stopped = progress_.is_stopped || session_.stopped();
    return !file_->failed() && !file_->closed_by_reader() && !progress_.is_stopped;
  }

  Status finish() {
    session_.watch(StopControl::Stops::None);
    if (file_) {
      const std::string head = is_typed() ? typed_rows_.encode(format_, text_) : "";
      if (is_typed()) count_ = typed_rows_.count();
      put();
      const runtime::Status written = file_->commit(head);
      if (!written) return console_.error(written.error());
    }
    if (options_.json) {
      const runtime::Status written = write_text_file("-", json());
      return written ? stopped_ : console_.error(written.error());
    }
    if (stopped_ != Status::Ok) {
      if (!console_.json())
        console_.write(fmt::format("partial result: {} after {} rows\n", stopped_by(stopped_), count_));
    } else if (!is_count_ && (options_.matches.empty() || options_.matches == "-")) {
      console_.note(fmt::format("{} rows", count_));
    }
    if (!options_.matches.empty() && options_.matches != "-") {
      const runtime::Status written = write_text_file("-", fmt::format("{}\n", count_));
      if (!written) return console_.error(written.error());
    }
    return stopped_;
  }

  std::string json() const {
    JsonObject object;
    object.add("schema", "\"matcha.run/1\"");
    object.add("version", Json(matcha_version()).dump());
    object.add("program", "\"<query>\"");
    object.add("pattern", "\"query: rows; edges: each line\"");
    object.add("entry", "\"query\"");
    object.add("signature", "\"query(G: Graph)\"");
    object.add("result", options_.matches.empty() ? json_rows_.text() : std::to_string(count_));
    object.add("complete", stopped_ == Status::Ok ? "true" : "false");
    if (stopped_ != Status::Ok) object.add("stopped_by", Json(stop_word(stopped_)).dump());
    if (!options_.matches.empty()) object.add("matches", Json(escape_invalid_utf8(options_.matches)).dump());
    object.add("columns", Json(names_).dump(-1, ' ', false, Json::error_handler_t::replace));
    object.add("device", "\"cpu\"");
    object.add("graph", "null");
    object.add("ms",
               Json{{"load", rounded(load_ms_)}, {"compile", 0}, {"upload", 0}, {"run", rounded(run_ms_)}}.dump());
    Json stats;
    stats["engine"] = "statement";
    stats["threads"] = 1;
    stats["rows"] = options_.matches.empty() ? json_rows_.count() : count_;
    object.add("stats", stats.dump());
    return object.print();
  }

  const query::Statement& statement_;
  const SourceManager& sources_;
  const RunRequest& options_;
  const RunReporter& console_;
  StopControl& session_;
  std::vector<std::string> names_;
  bool is_count_ = false;  ///< The answer is a number.
  RowFormat format_;
  std::optional<OutputFile> file_;  ///< Nothing: the rows are in the JSON object.
  statement::Store store_;
  statement::Pipeline::Parameters parameters_;
  statement::Progress progress_;
  statement::JsonRows json_rows_{statement_, store_, statement::JsonRows::Form::Plain};
  statement::TypedRows typed_rows_{statement::names_of(statement_), statement_.parts.back().projection.loc, store_};
  std::string text_;             ///< That is not yet in the file.
  std::uint64_t count_ = 0;      ///< Rows of text.
  std::uint64_t written_ = 0;    ///< Of these, those that are in the file.
  Status stopped_ = Status::Ok;  ///< Why the rows are not all; Ok: they are.
  double load_ms_ = 0, run_ms_ = 0;
};

}  // namespace

Status answer_statement(const query::Statement& statement, const SourceManager& sources, const RunRequest& options,
                        const RunReporter& console, StopControl& session) {
  return StatementRun(statement, sources, options, console, session).all();
}

}  // namespace matcha::session
