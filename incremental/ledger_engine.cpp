#include "incremental/ledger_engine.h"

#include <algorithm>
#include <utility>

#include "session/message_log.h"

namespace matcha::session::stream {

namespace {

class LedgerEngine final : public Engine {
 public:
  LedgerEngine(std::unique_ptr<Engine> others, std::vector<std::unique_ptr<LedgerPattern>> patterns,
               std::shared_ptr<LedgerRows> rows, Prepared::Reading reading)
      : others_(std::move(others)),
        patterns_(std::move(patterns)),
        rows_(std::move(rows)),
        reading_(std::move(reading)) {}

  const Present& present() const override { return others_->present(); }
  runtime::Result<ResidentGraph::Shared> graph() override { return others_->graph(); }
  const runtime::LabelDictionary& dictionary() const override { return others_->dictionary(); }

  Status add(const ProgramRequest& request, const ProgramOptions& options,
             std::shared_ptr<const Reporter> reporter) override {
    Entry entry;
    entry.index = others_->size();
    std::unique_ptr<LedgerPattern> pattern = std::move(patterns_[entries_.size()]);
    if (pattern != nullptr) entry.program = std::make_unique<LedgerProgram>(std::move(pattern), rows_, reading_);
    const Status status = entry.program ? entry.program->open(request, options, present().directed(), reporter)
                                        : others_->add(request, options, reporter);
    if (status == Status::Ok) entries_.push_back(std::move(entry));
    return status;
  }
  const planner::Decision& decision(std::size_t program) const override {
    const Entry& entry = entries_[program];
    return entry.program ? entry.program->decision() : others_->decision(entry.index);
  }
  std::size_t size() const override { return entries_.size(); }
  const frontend::Type& result_type(std::size_t program) const override {
    const Entry& entry = entries_[program];
    return entry.program ? entry.program->result_type() : others_->result_type(entry.index);
  }
  const std::string& semantics(std::size_t program) const override {
    const Entry& entry = entries_[program];
    return entry.program ? entry.program->semantics() : others_->semantics(entry.index);
  }
  const std::vector<std::string>& row_names(std::size_t program) const override {
    const Entry& entry = entries_[program];
    return entry.program ? entry.program->row_names() : others_->row_names(entry.index);
  }

  Status start(const ApplyOptions& options, std::vector<Answer>& answers) override {
    std::vector<Answer> all(entries_.size()), others;
    Status status = each(all, [&](LedgerProgram& program, Answer& answer) { return program.start(options, answer); });
    if (status == Status::Ok && others_->size() != 0) status = others_->start(options, others);
    if (status == Status::Ok) answers = merged(std::move(all), std::move(others));
    return status;
  }

  Status apply(const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) override {
    answers.clear();
    std::vector<Answer> all(entries_.size()), others;
    const auto begin = [&](LedgerProgram& program, Answer& /*answer*/) {
      if (!options.quiet) return program.begin(options);
      program.invalidate();
      return Status::Ok;
    };
    Status status = each(all, begin);
    if (status != Status::Ok) return status;
    const std::uint64_t before = rows_->size();
    const LedgerProgram::Batch rows{before, std::min(batch.rows_left, before), batch.rows_left};
    rows_->add(batch.rows);
    rows_->forget(batch.rows_left);
    if (!options.quiet)
      status = each(all, [&](LedgerProgram& program, Answer& /*answer*/) { return program.before(rows); });
    if (status != Status::Ok) return status;
    rows_->remove(batch.rows_left);
    if (!options.quiet)
      status = each(all, [&](LedgerProgram& program, Answer& answer) { return program.after(rows, answer); });
    if (status == Status::Ok && others_->size() != 0) status = others_->apply(batch, options, others);
    if (status == Status::Ok && !options.quiet) answers = merged(std::move(all), std::move(others));
    return status;
  }

  Status set_dictionary(std::shared_ptr<const runtime::LabelDictionary> dictionary) override {
    return others_->set_dictionary(std::move(dictionary));
  }

 private:
  struct Entry {
    std::unique_ptr<LedgerProgram> program;  ///< Null: the other engine has it,
    std::size_t index = 0;                   ///< with this number.
  };

  /// Takes a step with each program, and adds the time to its answer.
  template <typename Step>
  Status each(std::vector<Answer>& answers, Step step) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].program) continue;
      const Stopwatch watch;
      if (const Status status = step(*entries_[i].program, answers[i]); status != Status::Ok) return status;
      answers[i].match_ms += watch.ms();
    }
    return Status::Ok;
  }

  std::vector<Answer> merged(std::vector<Answer> all, std::vector<Answer> others) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].program) all[i] = std::move(others[entries_[i].index]);
    }
    return all;
  }

  std::unique_ptr<Engine> others_;
  std::vector<std::unique_ptr<LedgerPattern>> patterns_;
  std::shared_ptr<LedgerRows> rows_;
  const Prepared::Reading reading_;
  std::vector<Entry> entries_;
};

}  // namespace

bool asks_rows(const PatternOptions& pattern, bool beside) {
  PatternOptions options = pattern;
  options.may_ask_columns = true;
  const MessageLog ignored;
  PatternSource source(options, ignored);
  if (source.read() != Status::Ok) return false;
  return ledger::asks_columns(source, options) ||
         (beside && (source.vertex_labelled() || source.edge_labelled() || !source.set().constants.empty()));
}

std::unique_ptr<Engine> with_ledgers(std::unique_ptr<Engine> others,
                                     std::vector<std::unique_ptr<LedgerPattern>> patterns,
                                     std::shared_ptr<LedgerRows> rows, const Prepared::Reading& reading) {
  return std::make_unique<LedgerEngine>(std::move(others), std::move(patterns), std::move(rows), reading);
}

}  // namespace matcha::session::stream
