#include "session/run/ledger_run.h"

#include <fmt/format.h>

#include <utility>

#include "session/pictures/match_pictures.h"
#include "session/run/report.h"

namespace matcha::session {

bool LedgerRun::answers(const QuestionRun& run) { return ledger::asks_columns(*run.pattern, run.request.pattern); }

Status LedgerRun::read(const RunRequest& options, bool shares, const RunReporter& console, StopControl& session,
                       QuestionRun& run, RunReport& report) {
  const std::pair<bool, const char*> refused[] = {
      {shares, "several patterns and `--verify`"},         {options.tune, "`--tune`"},
      {options.interval.within.has_value(), "`--within`"}, {options.memory != 0, "`--memory`"},
      {options.gpu_memory != 0, "`--gpu-memory`"},         {is_picture(options.matches), "pictures"}};
  for (const auto& [is_given, what] : refused) {
    if (!is_given) continue;
    return console.error(Status::Usage, fmt::format("names and conditions of edges are not for {}", what),
                         "run the pattern alone");
  }
  runtime::IoOptions io;
  io.cancel = session.cancel();
  const Stopwatch watch;
  options_ = run.request.pattern;
  pattern_.emplace(options_, console);
  ledger_.emplace();
  Status status = pattern_->read();
  if (status == Status::Ok) {
    status = ledger::read_ledger(*pattern_, options_, options.bind, options.lists(), io, console, *ledger_);
  }
  if (status != Status::Ok) return status;
  report.load_ms += watch.ms();
  report.pattern = ledger_->meaning;
  if (!console.json()) {
    console.note(ledger_->table);
    console.note(ledger_->meaning);
  }
  if (options.explains && !console.json()) {
    for (const std::string& note : ledger_->notes) console.note(note);
  }
  run.pattern.reset();
  // `explain` shows a program; the notes have its meaning.
  run.semantics.clear();
  run.meaning.clear();
  run.reporter.set_pattern(pattern_->sources(), pattern_->loc());
  run.request.pattern.text.clear();
  run.request.text = ledger_->program;
  run.renew();
  return run.read(session.cancel());
}

}  // namespace matcha::session
