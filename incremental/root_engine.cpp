#include <algorithm>
#include <new>
#include <utility>

#include "incremental/clique_program.h"
#include "incremental/methods.h"
#include "incremental/rebuild.h"
#include "incremental/root_engine.h"
#include "incremental/root_program.h"

namespace matcha::session::stream {

namespace {

class RootEngine final : public Engine {
 public:
  RootEngine(std::unique_ptr<Engine> fallback, const DynamicPresent& present, DeltaDevice::Kind device,
             std::shared_ptr<const Reporter> reporter, Prepared::Reading reading)
      : fallback_(std::move(fallback)),
        present_(present),
        device_(device),
        reporter_(std::move(reporter)),
        reading_(std::move(reading)),
        dictionary_(std::make_shared<const runtime::LabelDictionary>(fallback_->dictionary())) {}

  const Present& present() const override { return fallback_->present(); }
  runtime::Result<ResidentGraph::Shared> graph() override { return fallback_->graph(); }
  const runtime::LabelDictionary& dictionary() const override { return fallback_->dictionary(); }

  Status add(const ProgramRequest& request, const ProgramOptions& options,
             std::shared_ptr<const Reporter> reporter) override {
    ProgramOptions chosen = options;
    reading_([&] {
      chosen.maybe_choice =
          std::make_shared<MethodChoice>(MethodQuestion{request, options, present_.directed(), device_, &dictionary(),
                                                        figures_of(present_.graph()), present_.keeps_edge_labels()});
    });
    MethodChoice& choice = *chosen.maybe_choice;
    Entry entry;
    if (choice.problem().empty() && choice.chosen() == MaintenanceMethod::Roots) {
      runtime::Result<ResidentGraph::Shared> now = graph();
      if (!now) return reporter_->error(now.error());
      std::string why;
      entry.program = RootProgram::make(request, options, *now, reading_, reporter, why);
      if (!entry.program) choice.refuse(std::move(why));
    } else if (choice.problem().empty() && choice.chosen() == MaintenanceMethod::Trees) {
      runtime::Result<ResidentGraph::Shared> now = graph();
      if (!now) return reporter_->error(now.error());
      const Status status =
          CliqueProgram::make(request, options, *choice.size_of_cliques(), *now, reading_, reporter, entry.program);
      if (status != Status::Ok) return status;
    }
    if (!choice.problem().empty()) return reporter->error(Status::Usage, choice.problem());
    if (entry.program) present_.keep_rows();
    entry.index = fallback_->size();
    const Status status = entry.program ? Status::Ok : fallback_->add(request, chosen, reporter);
    if (status != Status::Ok) return status;
    entry.choice = std::move(chosen.maybe_choice);
    if (!entry.no_roots().empty() && choice.chosen() == MaintenanceMethod::Recompute) {
      reporter->note("the program is recomputed after each batch: " + entry.no_delta() +
                     "; and not vertex by vertex: " + entry.no_roots());
    }
    entries_.push_back(std::move(entry));
    return status;
  }
  const planner::Decision& decision(std::size_t program) const override { return entries_[program].choice->decision(); }
  std::size_t size() const override { return entries_.size(); }
  const frontend::Type& result_type(std::size_t program) const override {
    const Entry& entry = entries_[program];
    return entry.program ? *entry.program->prepared().signature().result : fallback_->result_type(entry.index);
  }
  const std::string& semantics(std::size_t program) const override {
    const Entry& entry = entries_[program];
    return entry.program ? entry.program->prepared().semantics() : fallback_->semantics(entry.index);
  }
  const std::vector<std::string>& row_names(std::size_t program) const override {
    const Entry& entry = entries_[program];
    return entry.program ? entry.program->prepared().row_names() : fallback_->row_names(entry.index);
  }

  Status start(const ApplyOptions& options, std::vector<Answer>& answers) override {
    std::vector<Answer> fallback;
    Status status = fallback_->start(options, fallback);
    if (status != Status::Ok) return status;
    std::vector<Answer> all(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].program) continue;
      const Stopwatch watch;
      entries_[i].program->invalidate(true);
      status = run_whole(*entries_[i].program, options, all[i]);
      if (status != Status::Ok) return status;
      all[i].match_ms = watch.ms();
    }
    answers = merged(std::move(all), std::move(fallback));
    return Status::Ok;
  }

  Status apply(const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) override {
    if (!has_programs()) return fallback_->apply(batch, options, answers);
    answers.clear();
    std::vector<double> ms(entries_.size(), 0);
    const BatchProgram::BatchContext at{present_, batch, options, dictionary_, balls_};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].program) continue;
      const Stopwatch watch;
      if (const Status status = before(*entries_[i].program, at); status != Status::Ok) return status;
      ms[i] = watch.ms();
    }
    std::vector<Answer> fallback, all(entries_.size());
    Status status = fallback_->apply(batch, options, fallback);
    if (status != Status::Ok || options.quiet) return status;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].program) continue;
      const Stopwatch watch;
      status = after(*entries_[i].program, at, all[i]);
      if (status != Status::Ok) return status;
      all[i].match_ms = ms[i] + watch.ms();
    }
    answers = merged(std::move(all), std::move(fallback));
    return Status::Ok;
  }

  Status apply_each(const std::vector<NetBatch>& batches, const ApplyOptions& options,
                    std::vector<std::vector<Answer>>& answers) override {
    return has_programs() ? Engine::apply_each(batches, options, answers)
                          : fallback_->apply_each(batches, options, answers);
  }

  Status apply_delayed(const NetBatch& batch, const ApplyOptions& options, bool& is_delayed) override {
    return has_programs() ? Engine::apply_delayed(batch, options, is_delayed)
                          : fallback_->apply_delayed(batch, options, is_delayed);
  }
  Status settle(bool all, std::vector<DelayedAnswers>& answers) override { return fallback_->settle(all, answers); }

  Status set_dictionary(std::shared_ptr<const runtime::LabelDictionary> dictionary) override {
    Status status = Status::Ok;
    for (Entry& entry : entries_) {
      if (!entry.program) continue;
      runtime::Result<ResidentGraph::Shared> now = graph();
      if (!now) return reporter_->error(now.error());
      status = entry.program->keep_rows(*now);
      if (status != Status::Ok) return status;
    }
    status = fallback_->set_dictionary(dictionary);
    if (status != Status::Ok) return status;
    dictionary_ = std::move(dictionary);
    if (!has_programs()) return Status::Ok;
    runtime::Result<ResidentGraph::Shared> now = graph();
    if (!now) return reporter_->error(now.error());
    for (Entry& entry : entries_) {
      if (entry.program) status = entry.program->recompile(*now);
      if (status != Status::Ok) return status;
    }
    return Status::Ok;
  }

 private:
  struct Entry {
    std::unique_ptr<BatchProgram> program;  ///< Null: the other engine runs it,
    std::size_t index = 0;                  ///< under this number.
    std::shared_ptr<MethodChoice> choice;

    // Reasons; empty: there is none, as for patterns, which never have roots.
    std::string no_delta() const { return choice->refusal_of(MaintenanceMethod::Delta); }
    std::string no_roots() const {
      return choice->is_of_pattern() ? std::string() : choice->refusal_of(MaintenanceMethod::Roots);
    }
  };

  bool has_programs() const {
    return std::ranges::any_of(entries_, [](const Entry& entry) { return entry.program != nullptr; });
  }

  /// Runs a program on the whole present graph, and answers.
  Status run_whole(BatchProgram& program, const ApplyOptions& options, Answer& answer) {
    const Stopwatch watch;
    runtime::Result<ResidentGraph::Shared> now = graph();
    if (!now) return reporter_->error(now.error());
    const Status status = program.run_whole(*now, options, watch.ms());
    return status == Status::Ok ? program.answer(MaintenanceMethod::Recompute, answer) : status;
  }

  Status before(BatchProgram& program, const BatchProgram::BatchContext& at) {
    if (at.options.quiet) {
      program.invalidate(false);
      return Status::Ok;
    }
    if (!program.is_valid() && !program.keeps_rows()) {
      runtime::Result<ResidentGraph::Shared> now = graph();
      if (!now) return reporter_->error(now.error());
      if (const Status status = program.refresh(*now, at.options); status != Status::Ok) return status;
    }
    const Status status = with_memory([&] { return program.before(at); });
    return status == Status::Ok && program.wants_rest() ? run_rest(program, at) : status;
  }

  /// Runs a program on the graph without the edges that a batch deletes.
  Status run_rest(BatchProgram& program, const BatchProgram::BatchContext& at) {
    runtime::Result<ResidentGraph::Shared> rest = graph();
    NetBatch deleted;
    deleted.deleted = at.batch.deleted;
    if (rest && !deleted.empty()) rest = rebuilt(**rest, deleted);
    return rest ? program.run_rest(*rest, at.options) : reporter_->error(rest.error());
  }

  template <typename Step>
  Status with_memory(const Step& step) const {
    try {
      return step();
    } catch (const std::bad_alloc&) {
      return reporter_->error(Status::Resource, "out of memory");
    }
  }

  Status after(BatchProgram& program, const BatchProgram::BatchContext& at, Answer& answer) {
    bool done = false;
    Status status = with_memory([&] { return program.after(at, done); });
    if (status != Status::Ok) return status;
    if (done) return program.answer(program.method(), answer);
    const bool can_tell = !program.reports_rows() || program.keeps_rows();
    status = run_whole(program, at.options, answer);
    if (status != Status::Ok) return status;
    if (!can_tell) return reporter_->error(Status::Run, "the rows that a batch changes cannot be computed");
    answer.why = program.method() == MaintenanceMethod::Trees
                     ? "running the whole graph is faster than the trees below the changes"
                     : "running the whole graph is faster than the neighbourhoods of the changes";
    return Status::Ok;
  }

  std::vector<Answer> merged(std::vector<Answer> all, std::vector<Answer> fallback) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      if (entry.program) {
        if (all[i].why.empty()) all[i].why = entry.no_delta();
        continue;
      }
      all[i] = std::move(fallback[entry.index]);
      if (!all[i].why.empty() && !entry.no_roots().empty()) all[i].why += "; not by vertices: " + entry.no_roots();
    }
    return all;
  }

  std::unique_ptr<Engine> fallback_;
  const DynamicPresent& present_;  ///< Of that engine.
  const DeltaDevice::Kind device_;
  std::shared_ptr<const Reporter> reporter_;
  Prepared::Reading reading_;
  std::shared_ptr<const runtime::LabelDictionary> dictionary_;
  std::vector<Entry> entries_;
  RootBalls balls_;
};

}  // namespace

std::unique_ptr<Engine> with_roots(std::unique_ptr<Engine> fallback, const DynamicPresent& present,
                                   DeltaDevice::Kind device, std::shared_ptr<const Reporter> reporter,
                                   const Prepared::Reading& reading) {
  return std::make_unique<RootEngine>(std::move(fallback), present, device, std::move(reporter), reading);
}

}  // namespace matcha::session::stream
