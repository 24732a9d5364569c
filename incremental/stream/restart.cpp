#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "incremental/stream/run.h"

/// Checkpoints of a stream, and the way from the last one to where it stopped.
namespace matcha::session::stream {

namespace {

/// The hint when an output or the log is not as the state knows it.
constexpr std::string_view kPutBack =
    "put the file back as it was; or begin again from the first update, with another folder for `--state`";

}  // namespace

/// Continues after a restart: applies the batches of the log again, and answers those whose answers were not written.
/// Checks everything before it writes anything.
Status StreamRun::go_on() {
  StateFolder& state = *parts_.state;
  runtime::Result<nlohmann::json> facts = state.read_facts();
  if (!facts) return reporter_.error(facts.error());
  batch_ = answered_ = facts->at("batch").get<std::uint64_t>();
  offset_ = facts->at("offset").get<std::uint64_t>();
  line_ = facts->at("line").get<std::uint64_t>();
  restore_rows(*facts);
  feed_.restore(facts->at("feed"));
  checkpoint_bytes_ = engine_.present().edge_count() * 8;
  WrittenAnswers written;
  Status status = read_written(*facts, written);
  if (status != Status::Ok) return status;
  runtime::Result<std::vector<LogRecord>> log = state.read_log();
  if (!log) return reporter_.error(log.error());
  status = check_log(log->empty() ? batch_ : log->back().batch, written);
  if (status == Status::Ok) status = cut_outputs(*facts, written);
  if (status == Status::Ok && batch_ == 0 && !written.batch) status = first_answer();
  if (status != Status::Ok) return status;
  for (const LogRecord& record : *log) {
    status = replay(record, written.batch && record.batch <= *written.batch);
    if (status != Status::Ok) return status;
  }
  since_checkpoint_ = log->size();
  reporter_.note(fmt::format("goes on after batch {}, line {} of the input", batch_, line_));
  return Status::Ok;
}

/// The rows of the window, and the pairs that they join.
void StreamRun::restore_rows(const nlohmann::json& facts) {
  LedgerRows* const maybe_rows = parts_.rules.lines.maybe_rows.get();
  if (maybe_rows == nullptr) return;
  maybe_rows->restore(facts.at("rows"));
  for (std::uint64_t at = 0; parts_.maybe_pairs && at < maybe_rows->size(); ++at) {
    const LedgerRow& row = maybe_rows->row(at);
    if (row.u != row.v) parts_.maybe_pairs->add(maybe_rows->ids()[row.u], maybe_rows->ids()[row.v]);
  }
}

/// Finds the last answer in the file, which has those of all batches in order. It is an error if a file of answers or
/// rows is shorter than at the checkpoint.
Status StreamRun::read_written(const nlohmann::json& facts, WrittenAnswers& written) const {
  std::uint64_t batch = 0, lines = 0, bytes = 0;
  const auto take = [&](std::string_view line) {
    const std::optional<std::uint64_t> of = batch_of_line(line);
    const bool is_first = bytes == 0 && of && *of <= 1;
    const bool follows = of && (*of == batch ? lines < engine_.size() : *of == batch + 1 && lines == engine_.size());
    if (!is_first && !follows) return false;
    lines = is_first || *of != batch ? 1 : lines + 1;
    batch = *of;
    bytes += line.size() + 1;
    if (lines == engine_.size()) written = {batch, bytes};
    return true;
  };
  for (const auto& [name, output] : {std::pair{"out", &answers_}, std::pair{"matches", &rows_}}) {
    if (!*output || !(*output)->is_file()) continue;
    const bool is_rows = output == &rows_;
    const runtime::Result<std::uint64_t> found = is_rows ? (*output)->size() : (*output)->walk(take);
    if (!found) return reporter_.error(found.error());
    // Folders of earlier versions have no such number.
    const std::uint64_t stored = facts.value(fmt::format("{}-bytes", name), std::uint64_t{0});
    if (*found >= stored) continue;
    return reporter_.error(
        Status::Input,
        fmt::format("`--{}` was shortened or changed: of the {} bytes that it had after batch {}, {} are there", name,
                    stored, batch_, *found),
        kPutBack);
  }
  return Status::Ok;
}

/// A batch is in the log before its answer is written: it is an error if the file has later answers than the log.
/// `last`: the last batch of the log.
Status StreamRun::check_log(std::uint64_t last, WrittenAnswers& written) const {
  if (!answers_->is_file()) {
    // The position of a pipe's reader is unknown: the last batch is answered again.
    if (last != 0) written.batch = last - 1;
    return Status::Ok;
  }
  if (!written.batch || *written.batch <= last) return Status::Ok;
  return reporter_.error(Status::Input,
                         fmt::format("the log of `{}` was lost or cut: it ends with batch {}, and `--out` has answers "
                                     "until batch {}",
                                     request_.state, last, *written.batch),
                         kPutBack);
}

/// Truncates the files to the answers that are kept. A file of rows does not show whether its last batch is complete,
/// so with such a file all batches since the checkpoint are answered again.
Status StreamRun::cut_outputs(const nlohmann::json& facts, WrittenAnswers& written) {
  const bool has_bytes = facts.contains("out-bytes") || !answers_->is_file();
  runtime::Status done = runtime::Done{};
  if (rows_ && rows_->is_file() && answers_->is_file() && facts.contains("matches-bytes") && has_bytes) {
    written = {std::nullopt, facts.at("out-bytes").get<std::uint64_t>()};
    if (written.bytes != 0 || batch_ != 0) written.batch = batch_;
    done = rows_->cut(facts.at("matches-bytes").get<std::uint64_t>());
  } else if (rows_ && rows_->is_file()) {
    const runtime::Result<std::uint64_t> kept = rows_->walk([&](std::string_view line) {
      std::uint64_t of = 0;
      if (line.starts_with('{')) {
        of = batch_of_line(line).value_or(0);
      } else {
        std::from_chars(line.data(), line.data() + line.size(), of);
      }
      return written.batch && of <= *written.batch;
    });
    done = kept ? rows_->cut(*kept) : runtime::Status(kept.error());
  }
  if (done && answers_->is_file()) done = answers_->cut(written.bytes);
  return done ? Status::Ok : reporter_.error(done.error());
}

Status StreamRun::replay(const LogRecord& record, bool quiet) {
  std::string_view lines = record.lines;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    std::string error;
    LineKind kind = LineKind::Error;
    if (end != std::string_view::npos) {
      if (const Status pushed = push(lines.substr(0, end), kind, error); pushed != Status::Ok) return pushed;
    }
    if (kind == LineKind::Error) {
      return reporter_.error(Status::Input, "the log does not fit this stream: " + error);
    }
    lines.remove_prefix(end + 1);
  }
  if (record.flushed) feed_.flush();
  for (std::uint64_t i = 0; i < record.taken; ++i) {
    if (feed_.is_exhausted())
      return reporter_.error(Status::Input, "the log does not fit this stream: updates are missing");
    feed_.take();
  }
  offset_ = record.offset;
  RawBatch raw = feed_.end_batch();
  NetBatch batch;
  BatchFacts facts;
  batch_ = record.batch;
  Status status = net(raw, batch, facts);
  if (status == Status::Ok) status = answer(batch, facts, quiet);
  if (status == Status::Ok) answered_ = batch_;
  return status;
}

bool StreamRun::wants_checkpoint() const {
  constexpr std::uint64_t kLeastBytes = std::uint64_t{16} << 20;
  if (!parts_.state) return false;
  if (request_.checkpoint) return since_checkpoint_ >= *request_.checkpoint;
  return parts_.state->log_bytes() > std::max(kLeastBytes, checkpoint_bytes_);
}

Status StreamRun::write_checkpoint() {
  if (const Status settled = settle(true); settled != Status::Ok) return settled;
  // An answer that only a checkpoint knows of must be where it belongs.
  for (std::optional<StreamOutput>* output : {&answers_, &rows_}) {
    if (!*output || batch_ == 0) continue;
    const runtime::Status synced = (*output)->sync();
    if (!synced) return reporter_.error(synced.error());
  }
  runtime::Result<session::ResidentGraph::Shared> graph = engine_.graph();
  if (!graph) return reporter_.error(graph.error());
  nlohmann::json facts = {
      {"settings", parts_.settings}, {"batch", batch_}, {"offset", offset_}, {"line", line_}, {"feed", feed_.saved()}};
  for (const auto& [name, output] : {std::pair{"out-bytes", &answers_}, std::pair{"matches-bytes", &rows_}}) {
    if (!*output || !(*output)->is_file()) continue;
    const runtime::Result<std::uint64_t> bytes = (*output)->size();
    if (!bytes) return reporter_.error(bytes.error());
    facts[name] = *bytes;
  }
  if (feed_.names() != nullptr) facts["names"] = feed_.names()->saved();
  if (parts_.rules.lines.maybe_rows != nullptr) facts["rows"] = parts_.rules.lines.maybe_rows->saved();
  const runtime::Status written = parts_.state->write(batch_, **graph, facts);
  if (!written) return reporter_.error(written.error());
  since_checkpoint_ = 0;
  checkpoint_bytes_ = engine_.present().edge_count() * 8;
  return Status::Ok;
}

}  // namespace matcha::session::stream
