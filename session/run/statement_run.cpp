#include "session/run/statement_run.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "question/scan.h"
#include "session/output_file.h"
#include "session/pictures/match_pictures.h"
#include "session/query/pipeline.h"
#include "session/query/row_text.h"
#include "session/query/store.h"
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
    for (const query::Projection::Column& column : last().columns) names_.push_back(column.name);
  }

  Status all() {
    Status status = check();
    if (status == Status::Ok) status = bind();
    if (status == Status::Ok) status = open();
    if (status == Status::Ok) status = read();
    if (status == Status::Ok) status = run();
    return status == Status::Ok ? finish() : status;
  }

 private:
  const query::Projection& last() const { return statement_.parts.back().projection; }

  Status check() const {
    const std::pair<bool, const char*> refused[] = {
        {options_.device == "cuda", "`--device cuda`"},
        {!options_.gpu_given.empty(), "options of GPUs"},
        {options_.backend != "llvm", "`--backend`"},
        {!options_.bind.table.sql.empty(), "`--graph-sql`"},
        {!options_.bind.table.time.empty(), "`--time`"},
        {binds_mtg(options_.bind), "a `.mtg`"},
        {is_picture(options_.matches), "pictures"},
        {options_.matches.ends_with(".npy") || options_.matches.ends_with(".arrow"), "`.npy` or `.arrow`"}};
    for (const auto& [is_given, what] : refused) {
      if (!is_given) continue;
      return console_.error_at(Status::Usage, sources_, statement_.loc,
                               fmt::format("{} is not for a query that is more than one pattern", what),
                               "such a query is answered with tables, on a CPU, and its rows are text");
    }
    RowFormat format;
    return check_answer_options(options_, options_.pattern, console_, format);
  }

  /// The values of `--param`.
  Status bind() {
    for (const std::string& given : options_.bind.params) {
      const std::size_t sign = given.find('=');
      const std::string name = given.substr(0, sign);
      if (sign == std::string::npos || !statement_.parameters.contains(name)) {
        return console_.error(Status::Usage, fmt::format("`--param {}`: the query has no `${}`", given, name),
                              "parameters are given as NAME=VALUE");
      }
      std::optional<query::Term> value = value_of(given.substr(sign + 1));
      if (!value) {
        return console_.error(Status::Usage, fmt::format("`--param {}` is beyond 64 bits", given),
                              "text that looks like a number stands in quotes: NAME=\"'12'\"");
      }
      parameters_[name] = std::move(*value);
    }
    for (const auto& [name, loc] : statement_.parameters) {
      if (parameters_.contains(name)) continue;
      return console_.error_at(Status::Usage, sources_, loc, fmt::format("`${}` has no value", name),
                               fmt::format("`--param {}=VALUE` gives one", name));
    }
    return Status::Ok;
  }

  /// A number, `true`, `false`, `null`, or text, which may stand in quotes. Nothing if the number is beyond 64 bits.
  static std::optional<query::Term> value_of(const std::string& given) {
    query::Term value;
    const char* const begin = given.data();
    const char* const end = begin + given.size();
    bool is_beyond = false;
    const auto reads = [&](auto& number) {
      const std::from_chars_result read = std::from_chars(begin, end, number);
      if (read.ptr == end && read.ec == std::errc::result_out_of_range) is_beyond = true;
      return read.ec == std::errc() && read.ptr == end;
    };
    // `inf` and `nan` are text.
    const std::size_t first = given.starts_with('-') ? 1 : 0;
    const bool is_number = given.size() > first && (pattern::is_digit(given[first]) || given[first] == '.');
    const bool is_quoted = given.size() >= 2 && given.front() == '\'' && given.back() == '\'';
    if (given == "null") return value;
    value.type.base = query::ValueType::Base::Scalar;
    value.kind = query::Term::Kind::Text;
    value.text = is_quoted ? given.substr(1, given.size() - 2) : given;
    if (given == "true" || given == "false") {
      value.kind = query::Term::Kind::Bool;
      value.integer = given == "true" ? 1 : 0;
    } else if (is_number && reads(value.integer)) {
      value.kind = query::Term::Kind::Int;
    } else if (is_number && !is_beyond && reads(value.number)) {
      value.kind = query::Term::Kind::Float;
    }
    return is_beyond ? std::nullopt : std::optional(std::move(value));
  }

  /// `RETURN count(*)` is a number.
  bool is_count() const {
    const query::Projection& of = last();
    return of.columns.size() == 1 && of.columns.front().term.kind == query::Term::Kind::Aggregate &&
           of.columns.front().term.text == "count" && of.aggregates.front().parts.empty() && of.skip == 0 &&
           of.limit.value_or(1) != 0;
  }

  Status open() {
    const bool is_plain = options_.matches.empty() || options_.matches == "-";
    const std::optional<RowFormat> format = row_format(is_plain ? "rows.csv" : options_.matches);
    if (!format) {
      return console_.error(Status::Usage, fmt::format("no rows can be written as `{}`", options_.matches),
                            "rows are written to .tsv, .csv, .txt and .ndjson, also packed as .gz and .zst");
    }
    format_ = *format;
    if (options_.json && options_.matches.empty()) return Status::Ok;
    if (is_count() && !options_.matches.empty()) {
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
    const Status status = store_.read(statement_, sources_, options_.bind, io, console_);
    load_ms_ = watch.ms();
    if (session_.stopped()) return session_.stop_early();
    if (status == Status::Ok && !options_.json) {
      const statement::Store& store = store_;
      console_.note(fmt::format("{}: {}{}directed: {} lines, {} vertices", store.table().path, store.table().how,
                                store.table().how.empty() ? "" : ", ", store.relationships(), store.nodes()));
    }
    return status;
  }

  Status run() {
    const Stopwatch watch;
    progress_.maybe_cancel = session_.cancel();
    session_.watch(StopControl::Stops::Late);
    begin();
    {
      statement::Pipeline pipeline(statement_, parameters_, store_, progress_);
      pipeline.run([this](const Value* row, std::uint64_t weight) { return take(row, weight); });
    }
    run_ms_ = watch.ms();
    if (const auto& failure = progress_.failure) {
      return console_.error_at(failure->status, sources_, failure->loc, failure->message, failure->hint);
    }
    if (progress_.is_stopped) return session_.stop_early();
    return Status::Ok;
  }

  void begin() {
    if (!file_ || is_count() || format_.kind == RowFormat::Kind::Ndjson || !format_.heading) return;
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (at != 0) text_ += format_.separator;
      append_name(text_, names_[at], Style::Text, format_.separator);
    }
    text_ += '\n';
  }

  bool take(const Value* row, std::uint64_t weight) {
    std::string line;
    append(row, line);
    constexpr std::size_t kBlock = std::size_t{1} << 16U;
    for (std::uint64_t time = 0; time < weight; ++time, ++count_) {
      // A JSON object is in memory as a whole.
      if (!file_ && (progress_.is_over() || !progress_.keep(line.size() + 2, last().loc))) return false;
      if (!file_ && count_ != 0) text_ += ", ";
      text_ += line;
      if (file_ && text_.size() > kBlock && !put()) return false;
    }
    return true;
  }

  void append(const Value* row, std::string& line) {
    const bool is_json = !file_ || format_.kind == RowFormat::Kind::Ndjson;
    const bool is_array = !file_ && names_.size() != 1;
    if (is_array) line += '[';
    if (file_ && is_json) line += '{';
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (at != 0) line += !file_ ? ", " : is_json ? "," : std::string(1, format_.separator);
      if (file_ && is_json) line += Json(names_[at]).dump(-1, ' ', false, Json::error_handler_t::replace) + ":";
      statement::append_cell(line, row[at], store_, is_json ? Style::Json : Style::Text, format_.separator);
    }
    // A line without anything is no row to readers of CSV.
    if (!is_json && line.empty()) line = "\"\"";
    if (is_array) line += ']';
    if (file_ && is_json) line += '}';
    if (file_) line += '\n';
  }

  bool put() {
    file_->write(text_);
    text_.clear();
    progress_.is_stopped = progress_.is_stopped || session_.stopped();
    return !file_->failed() && !file_->closed_by_reader() && !progress_.is_stopped;
  }

  Status finish() {
    session_.watch(StopControl::Stops::None);
    if (file_) {
      put();
      const runtime::Status written = file_->commit();
      if (!written) return console_.error(written.error());
    }
    if (options_.json) {
      const runtime::Status written = write_text_file("-", json());
      return written ? Status::Ok : console_.error(written.error());
    }
    if (!is_count() && (options_.matches.empty() || options_.matches == "-")) {
      console_.note(fmt::format("{} rows", count_));
    }
    if (!options_.matches.empty() && options_.matches != "-") {
      const runtime::Status written = write_text_file("-", fmt::format("{}\n", count_));
      if (!written) return console_.error(written.error());
    }
    return Status::Ok;
  }

  std::string json() const {
    JsonObject object;
    object.add("schema", "\"matcha.run/1\"");
    object.add("version", Json(matcha_version()).dump());
    object.add("program", "\"<query>\"");
    object.add("pattern", "\"query: rows; edges: each line\"");
    object.add("entry", "\"query\"");
    object.add("signature", "\"query(G: Graph)\"");
    const std::string rows = is_count() ? text_ : "[" + text_ + "]";
    object.add("result", options_.matches.empty() ? rows : std::to_string(count_));
    object.add("complete", "true");
    if (!options_.matches.empty()) object.add("matches", Json(options_.matches).dump());
    object.add("columns", Json(names_).dump(-1, ' ', false, Json::error_handler_t::replace));
    object.add("device", "\"cpu\"");
    object.add("graph", "null");
    object.add("ms",
               Json{{"load", rounded(load_ms_)}, {"compile", 0}, {"upload", 0}, {"run", rounded(run_ms_)}}.dump());
    Json stats;
    stats["engine"] = "statement";
    stats["threads"] = 1;
    stats["rows"] = count_;
    object.add("stats", stats.dump());
    return object.print();
  }

  const query::Statement& statement_;
  const SourceManager& sources_;
  const RunRequest& options_;
  const RunReporter& console_;
  StopControl& session_;
  std::vector<std::string> names_;
  RowFormat format_;
  std::optional<OutputFile> file_;  ///< Nothing: the rows are in the JSON object.
  statement::Store store_;
  statement::Pipeline::Parameters parameters_;
  statement::Progress progress_;
  std::string text_;  ///< JSON, or text that is not yet in the file.
  std::uint64_t count_ = 0;
  double load_ms_ = 0, run_ms_ = 0;
};

}  // namespace

Status answer_statement(const query::Statement& statement, const SourceManager& sources, const RunRequest& options,
                        const RunReporter& console, StopControl& session) {
  return StatementRun(statement, sources, options, console, session).all();
}

}  // namespace matcha::session
