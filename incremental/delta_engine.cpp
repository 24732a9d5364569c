#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "incremental/backlog.h"
#include "incremental/delayed_batches.h"
#include "incremental/dynamic_present.h"
#include "incremental/engine.h"
#include "incremental/gpu_use.h"
#include "incremental/label_numbers.h"
#include "incremental/methods.h"
#include "incremental/phase.h"
#include "incremental/rebuild.h"
#include "incremental/root_engine.h"
#include "incremental/shared_deltas.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/machine.h"

namespace matcha::session::stream {

namespace {

using runtime::stream::DeltaSearch;
using runtime::stream::DynamicGraph;
using runtime::stream::EdgeUpdate;

/// The number of edges that one thread counts before their cost is known.
constexpr std::size_t kEdgesOfOneThread = 8;
/// The changes that are recorded before the whole graph is rebuilt instead, at least; and one for this many of its
/// edges: a byte for each.
constexpr std::uint64_t kLateChanges = 1000, kEdgesOfLate = 32;

unsigned threads_of(const ApplyOptions& options) {
  return options.run.threads != 0 ? options.run.threads : runtime::machine().threads;
}

class DeltaEngine final : public Engine {
 public:
  DeltaEngine(const ResidentGraph::Shared& start, std::unique_ptr<Engine> stands,
              std::shared_ptr<const Reporter> reporter, Prepared::Reading reading, const DeltaDevice& device)
      : present_(start),
        baseline_(std::move(stands)),
        reporter_(std::move(reporter)),
        reading_(std::move(reading)),
        gpu_(device),
        delayed_({present_, gpu_, *reporter_, [this] { return counting(); },
                  [this](const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) {
                    return take(batch, options, answers);
                  }}) {}

  const Present& present() const override { return present_; }
  const DynamicPresent& dynamic_graph() const { return present_; }
  const runtime::LabelDictionary& dictionary() const override { return baseline_->dictionary(); }

  runtime::Result<ResidentGraph::Shared> graph() override {
    const Status status = catch_up();
    if (status == Status::Ok) return baseline_->graph();
    runtime::Error error;
    error.kind = runtime::ErrorKind::Resource;
    error.message = "the graph cannot be laid out";
    return error;
  }

  /// Requires: the options have the decision for the program, and it is not to use roots.
  Status add(const ProgramRequest& request, const ProgramOptions& options,
             std::shared_ptr<const Reporter> reporter) override {
    Entry entry{request, options, std::move(reporter), {}, baseline_->size(), {}};
    const std::shared_ptr<MethodChoice> choice = std::move(entry.options.maybe_choice);
    if (choice->chosen() == MaintenanceMethod::Delta) entry.delta = choice->take_delta();
    if (entry.delta && !edge_labels_.add_layers(entry.delta->edge_labels(), present_)) {
      entry.delta.reset();
      while (choice->problem().empty() && choice->chosen() != MaintenanceMethod::Recompute) {
        choice->refuse("labels of edges would take too much memory");
      }
      if (!choice->problem().empty()) return entry.reporter->error(Status::Usage, choice->problem());
    }
    if (!entry.delta) entry.why = choice->refusal_of(MaintenanceMethod::Delta);
    const Status status =
        entry.delta ? baseline_->add(request, entry.options, entry.reporter) : switch_to_recompute(entry);
    if (status == Status::Ok) entries_.push_back(std::move(entry));
    return status;
  }
  const planner::Decision& decision(std::size_t program) const override {
    return engine_of(program).decision(entries_[program].index);
  }
  std::size_t size() const override { return entries_.size(); }
  const frontend::Type& result_type(std::size_t program) const override {
    return engine_of(program).result_type(entries_[program].index);
  }
  const std::string& semantics(std::size_t program) const override {
    return engine_of(program).semantics(entries_[program].index);
  }
  const std::vector<std::string>& row_names(std::size_t program) const override {
    return engine_of(program).row_names(entries_[program].index);
  }

  Status start(const ApplyOptions& options, std::vector<Answer>& answers) override {
    Status status = delayed_.finish();
    if (status == Status::Ok) status = plan(options);
    if (status != Status::Ok) return status;
    std::vector<Answer> stood, ran;
    status = start_deltas(options, stood);
    if (status == Status::Ok && recompute_ != nullptr) status = recompute_->start(options, ran);
    if (status == Status::Ok) answers = merged(std::move(stood), std::move(ran));
    return status;
  }

  Status apply(const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) override {
    const Status status = delayed_.finish();
    return status == Status::Ok ? take(batch, options, answers) : status;
  }

  Status apply_delayed(const NetBatch& batch, const ApplyOptions& options, bool& is_delayed) override {
    is_delayed = may_be_delayed(batch, options);
    if (!is_delayed) return Status::Ok;
    if (!batch.empty()) backlog_.add();
    return delayed_.add(batch, options);
  }
  Status settle(bool all, std::vector<DelayedAnswers>& answers) override {
    const Status status = all ? delayed_.finish() : Status::Ok;
    answers = delayed_.take();
    return status;
  }

  Status set_dictionary(std::shared_ptr<const runtime::LabelDictionary> dictionary) override {
    const runtime::LabelDictionary before = baseline_->dictionary();
    backlog_.forget_batches();
    Status status = delayed_.finish();
    if (status == Status::Ok) status = baseline_->set_dictionary(dictionary);
    if (status == Status::Ok && recompute_ != nullptr) status = recompute_->set_dictionary(dictionary);
    if (status != Status::Ok) return status;
    const std::int64_t none = dictionary->code("").value_or(runtime::kNoLabel);
    const auto recoded = [&](std::int64_t label) { return recode(label, before, *dictionary).value_or(none); };
    present_.recode(recoded, none, numbered());
    for (Entry& entry : entries_) {
      if (!entry.delta || !entry.delta->uses_vertex_types(*dictionary)) continue;
      entry.delta.reset();
      entry.why = kTypesProblem;
      has_lost_deltas_ = true;
      status = switch_to_recompute(entry);
      if (status != Status::Ok) return status;
    }
    return Status::Ok;
  }

 private:
  struct Entry {
    ProgramRequest request;
    ProgramOptions options;
    std::shared_ptr<const Reporter> reporter;
    std::optional<DeltaProgram> delta;
    std::size_t index = 0;  ///< In the engine that runs it.
    std::string why;        ///< Why there are no deltas; empty: there are.
  };

  /// Switches a program to recomputation after each batch.
  Status switch_to_recompute(Entry& entry) {
    if (recompute_ == nullptr) {
      // With the label words known so far.
      runtime::Result<ResidentGraph::Shared> now = graph();
      if (!now) return reporter_->error(now.error());
      recompute_ = make_recompute(*now, reporter_, reading_);
      if (recompute_ == nullptr) return Status::Resource;
    }
    entry.index = recompute_->size();
    return recompute_->add(entry.request, entry.options, entry.reporter);
  }

  /// Applies a batch and answers it; no answers are pending.
  Status take(const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) {
    answers.clear();
    Status status = plan(options);
    if (status == Status::Ok && !options.quiet) status = find_totals(options);
    if (status != Status::Ok) return status;
    const Stopwatch watch;
    has_shared_ = on_gpu_ = false;
    gpu_rows_ = {};
    search_->set_limits(options.run.stop_request, options.run.deadline);
    backlog_.begin();
    status = change(batch, options);
    if (status != Status::Ok) return status;
    backlog_.end(batch, present_.edge_count() / kEdgesOfLate + kLateChanges);
    std::vector<Answer> stood(options.quiet ? 0 : baseline_->size()), ran;
    for (Entry& entry : entries_) {
      if (!entry.delta) continue;
      if (options.quiet) {
        entry.delta->invalidate();
      } else {
        std::optional<Answer> answer = entry.delta->answer();
        if (!answer) return reporter_->error(Status::Run, "a number of matches cannot be computed from its changes");
        answer->on_gpu = on_gpu_;
        if (on_gpu_ && gpu_.is_bounded()) answer->gpu_rows = gpu_rows_;
        stood[entry.index] = std::move(*answer);
      }
    }
    const double ms = watch.ms();
    for (Answer& answer : stood) answer.match_ms = ms / static_cast<double>(stood.size());
    // For a few edges it is only known now.
    const std::size_t edges = batch.deleted.size() + batch.inserted.size();
    if (edges != 0 && edges < kTimed && !options.quiet && !has_shared_) each_ms_ = ms / static_cast<double>(edges);
    if (!options.quiet) gpu_.add(on_gpu_, edges, ms, *reporter_);
    if (recompute_ != nullptr) status = recompute_->apply(batch, options, ran);
    if (status == Status::Ok && !options.quiet) answers = merged(std::move(stood), std::move(ran));
    return status;
  }

  /// True if counting many such batches together is faster, on a GPU.
  bool may_be_delayed(const NetBatch& batch, const ApplyOptions& options) {
    const std::size_t edges = batch.deleted.size() + batch.inserted.size();
    if (options.quiet || options.maybe_partners != nullptr || options.strategy == BatchStrategy::Recount ||
        recompute_ != nullptr || needs_plan() || !batch.vertices.empty() || edges > DelayedBatches::kMostEdges) {
      return false;
    }
    for (const Entry& entry : entries_) {
      if (entry.delta->wants_rows() || (entry.delta->wants_total() && !entry.delta->total())) return false;
    }
    GpuDeltas* const maybe_gpu = gpu_.counts(present_) ? gpu_.maybe_ready(counting(), *reporter_) : nullptr;
    if (maybe_gpu == nullptr || edges > maybe_gpu->most_edges()) return false;
    const double limit_ms = options.strategy == BatchStrategy::EdgeByEdge ? kNever : recount_ms(options);
    return gpu_.each_ms().value_or(0) * static_cast<double>(edges) < limit_ms;
  }

  Engine& engine_of(std::size_t program) const { return entries_[program].delta ? *baseline_ : *recompute_; }

  DynamicPresent::Numbered numbered() const { return {labels_.codes(dictionary()), edge_labels_.codes(dictionary())}; }

  bool needs_plan() const {
    constexpr std::uint64_t kFewEdges = 1000;
    const std::uint64_t edges = present_.edge_count() + kFewEdges, planned = planned_edges_ + kFewEdges;
    return !search_ || has_lost_deltas_ || edges > 4 * planned || planned > 4 * edges;
  }

  /// Sets classes for all labels that programs use, once; plans the terms of all patterns, again when the size of the
  /// graph has changed.
  Status plan(const ApplyOptions& options) {
    if (!needs_plan()) return Status::Ok;
    present_.graph().set_asked({});
    planned_edges_ = present_.edge_count();
    has_lost_deltas_ = shared_is_planned_ = false;
    gpu_.replan();
    if (!search_) lay_out(options);
    const auto class_of = [this](const std::string& label) { return labels_.number(label); };
    const auto layer_of = [this](const std::string& label) { return edge_labels_.number(label); };
    for (Entry& entry : entries_) {
      if (!entry.delta) continue;
      bool is_planned = false;
      reading_([&] { is_planned = entry.delta->plan(present_.graph(), class_of, layer_of, entry.why); });
      if (!is_planned) return reporter_->error(Status::Resource, entry.why);
    }
    if (counting().empty()) return Status::Ok;
    std::vector<bool> asked(std::size_t{present_.graph().class_count()} * present_.graph().class_count());
    for (const DeltaProgram* program : counting()) program->add_asked(asked);
    present_.graph().set_asked(std::move(asked));
    return gpu_.prepare(present_, counting(), *reporter_);
  }

  std::vector<DeltaProgram*> counting() {
    std::vector<DeltaProgram*> programs;
    for (Entry& entry : entries_) {
      if (entry.delta) programs.push_back(&*entry.delta);
    }
    return programs;
  }

  void lay_out(const ApplyOptions& options) {
    for (const Entry& entry : entries_) {
      if (!entry.delta) continue;
      labels_.add(entry.delta->labels());
    }
    if (labels_.size() + edge_labels_.size() != 0) present_.set_classes(numbered());
    search_.emplace(present_.graph(), kernels(options));
  }

  /// Updates the graph of the baseline engine to this one.
  Status catch_up() {
    if (!backlog_.exists()) return Status::Ok;
    runtime::Result<ResidentGraph::Shared> last = baseline_->graph();
    if (!last) return reporter_->error(last.error());
    const Stopwatch watch;
    ApplyOptions quiet;
    quiet.quiet = true;
    std::vector<Answer> none;
    const std::optional<NetBatch> known = backlog_.batch();
    const Status status = baseline_->apply(known ? *known : present_.difference_to(**last), quiet, none);
    if (status == Status::Ok) backlog_.clear();
    rebuild_ms_ = watch.ms();
    return status;
  }

  /// Runs all programs with deltas on the present graph.
  Status run_all(const ApplyOptions& options, std::vector<Answer>& answers) {
    Status status = catch_up();
    const Stopwatch watch;
    if (status == Status::Ok) status = baseline_->start(options, answers);
    // A run that took much longer than the last one was delayed.
    constexpr double kMostGrowth = 1.25;
    run_ms_ = std::min(watch.ms(), run_ms_ ? kMostGrowth * *run_ms_ : kNever);
    return status;
  }

  Status start_deltas(const ApplyOptions& options, std::vector<Answer>& answers) {
    if (const Status status = run_all(options, answers); status != Status::Ok) return status;
    for (Entry& entry : entries_) {
      if (!entry.delta) continue;
      Answer& answer = answers[entry.index];
      answer.how = MaintenanceMethod::Delta;
      entry.delta->invalidate();
      entry.delta->set_total(answer.total);
    }
    return Status::Ok;
  }

  /// Computes requested totals that are unknown, after quiet batches or without a start.
  Status find_totals(const ApplyOptions& options) {
    const bool wanted = std::ranges::any_of(entries_, [](const Entry& entry) {
      return entry.delta && entry.delta->wants_total() && !entry.delta->total();
    });
    std::vector<Answer> none;
    return wanted ? start_deltas(options, none) : Status::Ok;
  }

  std::vector<Answer> merged(std::vector<Answer> stood, std::vector<Answer> ran) const {
    std::vector<Answer> answers;
    answers.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      answers.push_back(std::move((entry.delta ? stood : ran)[entry.index]));
      if (!entry.delta) answers.back().why = entry.why;
    }
    return answers;
  }

  Status misfit(const char* what) const {
    runtime::Error error;
    error.kind = runtime::ErrorKind::Runtime;
    error.message = std::string("the batch does not fit the graph: ") + what;
    return reporter_->error(error);
  }

  /// The time to recount the whole graph; kNever if impossible.
  double recount_ms(const ApplyOptions& options) const {
    if (options.quiet || !run_ms_) return kNever;
    for (const Entry& entry : entries_) {
      if (entry.delta && (entry.delta->wants_rows() || !entry.delta->total())) return kNever;
    }
    constexpr double kMsOfEdge = 1.5e-4;
    return *run_ms_ + rebuild_ms_.value_or(kMsOfEdge * static_cast<double>(present_.edge_count()));
  }

  /// Recounts the whole present graph.
  Status recount(const ApplyOptions& options) {
    std::vector<Answer> answers;
    if (const Status status = run_all(options, answers); status != Status::Ok) return status;
    for (Entry& entry : entries_) {
      if (entry.delta) entry.delta->recount(answers[entry.index].total);
    }
    return Status::Ok;
  }

  /// Applies the batch, one update after the other: deletions, then insertions.
  Status change(const NetBatch& batch, const ApplyOptions& options) {
    const bool quiet = options.quiet;
    if (!batch.empty()) backlog_.add();
    const bool fits = present_.take_deleted(batch, updates_) && take_aside(present_.graph(), updates_, false);
    if (!fits) return misfit("a deleted edge did not exist");
    // In between, a relabelled vertex has a label that no graph could have.
    Phase deletions(updates_.size(), batch.relabels() ? kNever : recount_ms(options), options.strategy);
    Status status = change_edges(updates_, -1, deletions, options);
    if (status != Status::Ok) return status;
    // Between deletions and insertions a relabelled vertex has a temporary class that no program uses.
    for (const VertexChange& vertex : batch.vertices) {
      if (vertex.was && vertex.is) {
        status = change_class(vertex, true, quiet);
        if (status != Status::Ok) return status;
      } else if (!vertex.is) {
        if (present_.degree_of(vertex.id) != 0) return misfit("a deleted vertex has edges");
        if (!present_.take(vertex)) return misfit("a deleted vertex did not exist");
      }
    }
    if (deletions.gave_up()) status = recount(options);
    if (status != Status::Ok) return status;
    for (Entry& entry : entries_) {
      if (entry.delta) entry.delta->turn();
    }
    if (!batch.vertices.empty() || !batch.inserted.empty()) backlog_.add();
    return take_insertions(batch, options);
  }

  Status take_insertions(const NetBatch& batch, const ApplyOptions& options) {
    const bool quiet = options.quiet;
    for (const VertexChange& vertex : batch.vertices) {
      if (vertex.was && vertex.is) {
        if (const Status status = change_class(vertex, false, quiet); status != Status::Ok) return status;
      } else if (vertex.is && !present_.take(vertex)) {
        return misfit("an inserted vertex existed");
      }
    }
    const bool fits = present_.take_inserted(batch, updates_) && take_aside(present_.graph(), updates_, true);
    if (!fits) return misfit("an inserted edge existed, or one of its ends did not");
    Phase insertions(updates_.size(), recount_ms(options), options.strategy);
    if (const Status status = change_edges(updates_, 1, insertions, options); status != Status::Ok) return status;
    return insertions.gave_up() ? recount(options) : Status::Ok;
  }

  /// Inserts or deletes edges, and counts their effect, on the available threads.
  Status change_edges(std::span<const EdgeUpdate> edges, int sign, Phase& phase, const ApplyOptions& options) {
    const bool counts = !options.quiet && !edges.empty() && !counting().empty();
    const bool may_share = counts && (threads_of(options) > 1 || options.maybe_partners != nullptr);
    // Unless a GPU is required, fewer edges are not worth a launch.
    constexpr std::size_t kMany = 1024;
    bool alone = true;
    bool may_use_gpu = counts && (gpu_.is_wanted() || edges.size() >= kMany) && gpu_.counts(present_);
    std::size_t next_poll = may_use_gpu ? edges.size() : kMany;
    const Stopwatch watch;
    for (std::size_t at = 0; at < edges.size();) {
      if (counts && at >= next_poll) {
        // The CPU's time is now known well enough for a comparison.
        next_poll = at + kMany;
        may_use_gpu = gpu_.counts_rest(present_, at, watch.ms(), edges.size() - at);
        if (may_use_gpu) next_poll = edges.size();
      }
      if (may_share && alone && at == kEdgesOfOneThread && phase.is_timed()) each_ms_ = phase.ms() / kEdgesOfOneThread;
      if (may_use_gpu && !phase.gave_up()) {
        std::size_t taken = gpu_.wanted(edges.size() - at, phase.step_ms(), counting(), *reporter_);
        if (taken != 0) {
          const Status status = count_on_gpu(edges.subspan(at, taken), sign, phase, options, taken);
          if (status != Status::Ok) return status;
        }
        may_use_gpu = taken != 0;
        alone = alone && taken == 0;
        at += taken;
        continue;
      }
      const std::size_t shared = may_share ? to_share(edges.size() - at, phase, options) : 0;
      if (shared != 0) {
        std::size_t taken = 0;
        const double began = phase.is_timed() ? thread_ms() : 0;
        double ms = 0;
        const Status status = share(edges.subspan(at, shared), sign, options, taken, ms);
        if (status != Status::Ok) return status;
        if (phase.is_timed()) phase.add(ms, began);
        phase.counts(taken);
        at += taken;
        alone = false;
      } else {
        runtime::stream::fetch_ahead(present_.graph(), edges, at);
        const Status status = change_edge(edges[at++], sign, options.quiet || !phase.counts());
        if (status != Status::Ok) return status;
      }
    }
    return Status::Ok;
  }

  /// Counts a prefix of the edges on the GPU; `taken` 0: the CPU must count.
  Status count_on_gpu(std::span<const EdgeUpdate> edges, int sign, Phase& phase, const ApplyOptions& options,
                      std::size_t& taken) {
    const double began = phase.is_timed() ? thread_ms() : 0;
    GpuDeltas::AppliedEdges applied;
    const Status status = gpu_.take(edges, sign, {options.run.stop_request, options.run.deadline},
                                    options.maybe_partners, *reporter_, applied);
    if (status != Status::Ok) return status;
    if (!applied.fits) return misfit("a deleted edge did not exist, or an inserted one did");
    taken = applied.edges;
    if (taken != 0) {
      has_shared_ = on_gpu_ = true;
      gpu_rows_.add(applied.rows);
      if (phase.is_timed()) phase.add(applied.ms, began);
      phase.counts(taken);
    }
    return status_of(applied.ending, *reporter_);
  }

  /// The number of remaining edges that threads share; 0: the next one is counted here.
  std::size_t to_share(std::size_t left, const Phase& phase, const ApplyOptions& options) const {
    // The work of the threads must be long compared to waking them, and an edge compared to its versions.
    constexpr double kPays = 0.2, kPaysEach = 1e-3;
    constexpr std::size_t kFewest = 64;
    if (phase.gave_up()) return 0;
    if (options.shares_always) return left;
    if (!each_ms_ || *each_ms_ < kPaysEach || *each_ms_ * static_cast<double>(left) < kPays) return 0;
    // If a GPU may take over, its choice is checked from time to time.
    constexpr std::size_t kJoined = 4096;
    if (gpu_.may_join()) left = std::min(left, kJoined);
    const double step = phase.step_ms() / *each_ms_ * threads_of(options);
    if (step >= static_cast<double>(left)) return left;
    return std::min(left, std::max(kFewest, static_cast<std::size_t>(step)));
  }

  /// Shares a prefix of the edges among threads: `taken` edges, in `ms`.
  Status share(std::span<const EdgeUpdate> edges, int sign, const ApplyOptions& options, std::size_t& taken,
               double& ms) {
    if (!shared_ || shared_threads_ != threads_of(options)) {
      shared_threads_ = threads_of(options);
      shared_.emplace(present_, kernels(options), shared_threads_);
      shared_is_planned_ = false;
    }
    if (!std::exchange(shared_is_planned_, true)) {
      shared_->set_programs(counting());
    }
    has_shared_ = true;
    const SharedDeltas::AppliedEdges applied =
        shared_->take(edges, sign, {options.run.stop_request, options.run.deadline}, options.maybe_partners);
    if (applied.failure) return reporter_->error(*applied.failure);
    if (!applied.fits) return misfit("a deleted edge did not exist, or an inserted one did");
    taken = applied.edges;
    const double each = applied.busy_ms / static_cast<double>(taken);
    ms = applied.busy_ms / shared_->workers();
    each_ms_ = each_ms_ ? (*each_ms_ + each) / 2 : each;
    return status_of(applied.ending, *reporter_);
  }

  static const runtime::SetKernels& kernels(const ApplyOptions& options) {
    return runtime::set_kernels(options.run.tier.value_or(runtime::best_tier()));
  }

  /// Inserts (+1) or deletes an edge. An edge that does not fit may be counted wrongly first.
  Status change_edge(const EdgeUpdate& edge, int sign, bool quiet) {
    DynamicGraph& graph = present_.graph();
    bool fits = sign > 0 || graph.erase(edge.u, edge.v, edge.layer);
    const Status status = quiet || !fits ? Status::Ok : count(edge, sign);
    if (sign > 0) fits = graph.insert(edge.u, edge.v, edge.layer);
    return fits ? status : misfit("a deleted edge did not exist, or an inserted one did");
  }

  Status count(const EdgeUpdate& edge, int sign) {
    for (Entry& entry : entries_) {
      if (!entry.delta) continue;
      const Status status = status_of(entry.delta->take(*search_, present_, edge, sign), *reporter_);
      if (status != Status::Ok) return status;
    }
    return Status::Ok;
  }

  /// Moves a vertex to a class that no program uses, or to that of its new label: its edges are deleted and inserted
  /// again.
  Status change_class(const VertexChange& vertex, bool away, bool quiet) {
    const std::optional<std::uint32_t> number = present_.number(vertex.id);
    if (!number) return misfit("a vertex that has another label was not there");
    const std::uint32_t next = away ? 0 : present_.class_of_label(vertex.new_label);
    DynamicGraph& graph = present_.graph();
    const bool changes = graph.class_at(graph.place(*number)) != next;
    // By numbers of vertices, as places change.
    const std::vector<EdgeUpdate> edges = changes ? present_.edges_of(*number) : std::vector<EdgeUpdate>();
    const auto change_all = [&](int sign) {
      for (const EdgeUpdate& edge : edges) {
        const Status status = change_edge({graph.place(edge.u), graph.place(edge.v), edge.layer}, sign, quiet);
        if (status != Status::Ok) return status;
      }
      return Status::Ok;
    };
    if (const Status status = change_all(-1); status != Status::Ok) return status;
    if (!present_.take(vertex, next)) return misfit("a vertex does not fit");
    return change_all(1);
  }

  DynamicPresent present_;
  /// Runs the programs with deltas on the whole graph: to check them, and for totals that are unknown. Its graph may
  /// lag.
  std::unique_ptr<Engine> baseline_;
  std::unique_ptr<Engine> recompute_;  ///< Runs all other programs; null: there are none.
  Backlog backlog_;                    ///< The changes missing in the graph of `baseline_`.
  std::shared_ptr<const Reporter> reporter_;
  Prepared::Reading reading_;
  std::vector<Entry> entries_;
  LabelNumbers labels_, edge_labels_;  ///< Of classes, and of layers.
  std::uint64_t planned_edges_ = 0;
  std::optional<DeltaSearch> search_;
  std::optional<SharedDeltas> shared_;  ///< Created on first use.
  unsigned shared_threads_ = 0;
  bool shared_is_planned_ = false;  ///< It has the current plans of the programs.
  bool has_shared_ = false;         ///< In the current batch.
  bool has_lost_deltas_ = false;    ///< A program has lost its deltas since the last plan.
  std::vector<EdgeUpdate> updates_;
  GpuUse gpu_;           ///< Its graph is that of `present_`.
  bool on_gpu_ = false;  ///< Edges of the current batch were counted on it,
  GpuRows gpu_rows_;     ///< which read these rows.
  DelayedBatches delayed_;
  /// The time of one thread for an edge; measured if there are several threads.
  std::optional<double> each_ms_;
  /// The last time to run all programs with deltas, and to lay the graph out for them.
  std::optional<double> run_ms_, rebuild_ms_;
};

}  // namespace

std::unique_ptr<Engine> make_delta(const ResidentGraph::Shared& start, std::shared_ptr<const Reporter> reporter,
                                   const Prepared::Reading& reading, const DeltaDevice& device) {
  std::unique_ptr<Engine> engine = make_recompute(start, reporter, reading);
  if (engine == nullptr) return engine;
  auto deltas = std::make_unique<DeltaEngine>(start, std::move(engine), reporter, reading, device);
  const DynamicPresent& present = deltas->dynamic_graph();
  return with_roots(std::move(deltas), present, device.kind, std::move(reporter), reading);
}

}  // namespace matcha::session::stream
