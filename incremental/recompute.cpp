#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "incremental/engine.h"
#include "incremental/least_rows.h"
#include "incremental/methods.h"
#include "incremental/rebuild.h"
#include "question/type_parts.h"
#include "session/message_log.h"
#include "session/pattern_source.h"

namespace matcha::session::stream {

namespace {

/// A label that no vertex, edge or pattern has.
constexpr std::int64_t kTwoLabels = runtime::kNoLabel + 2;

/// For programs that list the subgraphs of one pattern, with its vertices as columns; empty for other programs, whose
/// rows are not canonicalized.
std::optional<LeastRows> least_rows_of(const ProgramRequest& request) {
  const PatternOptions& pattern = request.pattern;
  if (!request.text.empty() || !request.matches || pattern.embeddings || pattern.query || !pattern.per.empty()) {
    return std::nullopt;
  }
  const MessageLog log;
  PatternSource source(pattern, log);
  if (source.read() != Status::Ok) return std::nullopt;
  const pattern::PatternSet& set = source.set();
  if (source.match() != pattern::Match::Iso || set.alternatives || set.patterns.size() != 1) {
    return std::nullopt;
  }
  const pattern::Pattern& first = set.patterns.front();
  // Vertices with several types may be exchanged although the pattern allows different types.
  std::optional<LeastRows> any = LeastRows::make(normal(without_types(first), source.induced()));
  return any ? any : LeastRows::make(normal(first, source.induced()));
}

/// A program, and its last result.
class Program {
 public:
  Program(ProgramRequest request, const ProgramOptions& options, std::shared_ptr<const Reporter> reporter,
          Prepared::Reading reading)
      : request_(std::move(request)), options_(options), reporter_(std::move(reporter)), reading_(std::move(reading)) {
    request_.matches = options_.rows;
    request_.may_lack_labels = true;
    reading_([&] { least_rows_ = least_rows_of(request_); });
  }

  Status compile(const ResidentGraph::Shared& graph) {
    planned_edges_ = graph->graph().edge_count();
    prepared_.reset();
    return Prepared::make(request_, graph, reading_, reporter_, prepared_);
  }
  const Prepared& prepared() const { return *prepared_; }

  /// The result on a graph, independent of the previous one.
  struct Found {
    std::vector<Number> total;
    RowSet rows;  ///< Sorted, where `keeps_rows`.
  };
  Status run(const ResidentGraph::Shared& graph, const codegen::RunOptions& run_options, Found& found) {
    if (const Status status = fit(graph); status != Status::Ok) return status;
    codegen::RunOptions how = run_options;
    std::uint64_t rows = 0;
    if (is_list()) {
      how.on_rows = [&](const codegen::Rows& block) {
        rows += block.count;
        if (keeps_rows()) found.rows.append(block, prepared_->universe());
        return true;
      };
    }
    const codegen::RunOutcome outcome = prepared_->run(how);
    if (const auto* const failed = std::get_if<codegen::RunError>(&outcome)) {
      return prepared_->report(*failed, *reporter_);
    }
    const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
    if (result.ending == codegen::Ending::Deadline) return Status::Timeout;
    if (result.ending != codegen::Ending::Complete) return Status::Interrupted;
    if (is_list()) {
      found.total = {static_cast<__int128>(rows)};
      // Another plan lists the vertices of a subgraph in another order.
      if (least_rows_) put_least(graph->graph(), found.rows);
      found.rows.sort();
    } else {
      found.total = numbers_of(result, prepared_->universe());
      if (prepared_->counts_all_sizes()) as_series(found.total);
    }
    return Status::Ok;
  }

  /// The answer from the result on the graph after a batch; `maybe_rest`: the result on the common part of both graphs,
  /// from which insertions and deletions follow.
  Answer answer(Found found, const std::vector<Number>* maybe_rest) {
    Answer answer;
    answer.total = found.total;
    answer.delta = last_ ? difference(found.total, last_->total) : std::vector<Number>();
    if (last_ && maybe_rest != nullptr) {
      answer.set_changes(found.total, last_->total, *maybe_rest);
    }
    if (is_list() && keeps_rows()) {
      RowChanges changes = difference(found.rows, last_ ? last_->rows : RowSet());
      if (last_) {
        answer.plus = changes.count(1);
        answer.minus = changes.count(-1);
      }
      if (options_.rows) answer.changes = std::move(changes);
    }
    last_ = std::move(found);
    return answer;
  }
  /// The totals of the present graph are known.
  bool is_current() const { return last_.has_value(); }
  void invalidate() { last_.reset(); }
  const std::vector<Number>& last_total() const { return last_->total; }
  /// True if numbers on the common part of both graphs give insertions and deletions. `relabels`: a vertex has another
  /// label after the batch, and none in the common part; the pattern may accept both labels.
  bool wants_rest(bool relabels) const {
    return options_.changes && !is_list() && !prepared_->counts_all_sizes() && prepared_->only_gains() &&
           !(relabels && prepared_->has_label_choices());
  }

 private:
  bool is_list() const { return prepared_->signature().result->is_list() && !prepared_->counts_all_sizes(); }
  bool keeps_rows() const { return options_.rows || options_.changes; }

  void put_least(const runtime::Graph& graph, RowSet& rows) const {
    const std::vector<std::vector<std::int64_t>> codes = prepared_->label_codes();
    const runtime::GraphView view = graph.view();
    least_rows_->put(rows, [&](int v, std::uint64_t id) {
      const std::vector<std::int64_t>& wanted = codes[pattern::at(v)];
      if (wanted.empty()) return true;
      const std::optional<std::uint64_t> rank = prepared_->universe().rank(static_cast<std::int64_t>(id));
      return rank && view.labels != nullptr && std::ranges::find(wanted, view.labels[*rank]) != wanted.end();
    });
  }

  /// Makes new plans when the size of the graph is beyond twice, or below a quarter of, the size that the plans were
  /// made for.
  Status fit(const ResidentGraph::Shared& graph) {
    constexpr std::uint64_t kFewEdges = 1000;
    const std::uint64_t edges = graph->graph().edge_count() + kFewEdges, planned = planned_edges_ + kFewEdges;
    const bool is_near = edges <= 2 * planned && edges * 4 >= planned;
    return is_near && prepared_->rebind(graph) ? Status::Ok : compile(graph);
  }

  ProgramRequest request_;
  ProgramOptions options_;
  std::shared_ptr<const Reporter> reporter_;
  Prepared::Reading reading_;
  std::unique_ptr<Prepared> prepared_;
  std::optional<LeastRows> least_rows_;  ///< If its rows are subgraphs.
  std::uint64_t planned_edges_ = 0;
  std::optional<Found> last_;
};

class Recompute final : public Engine {
 public:
  Recompute(ResidentGraph::Shared start, std::shared_ptr<const Reporter> reporter, Prepared::Reading reading)
      : present_(std::move(start)), reporter_(std::move(reporter)), reading_(std::move(reading)) {}

  const Present& present() const override { return present_; }
  runtime::Result<ResidentGraph::Shared> graph() override { return present_.graph(); }
  const runtime::LabelDictionary& dictionary() const override { return present_.graph()->graph().dictionary(); }

  Status add(const ProgramRequest& request, const ProgramOptions& options,
             std::shared_ptr<const Reporter> reporter) override {
    programs_.push_back(std::make_unique<Program>(request, options, std::move(reporter), reading_));
    const Status status = programs_.back()->compile(present_.graph());
    if (status != Status::Ok) {
      programs_.pop_back();
      return status;
    }
    const runtime::Graph& graph = present_.graph()->graph();
    MethodQuestion question{request, options, graph.facts().directed};
    question.device = DeltaDevice::Kind::Auto;
    question.graph.arcs = static_cast<double>(graph.view().arc_count);
    decisions_.push_back(decision_to_recompute(question));
    return status;
  }
  const planner::Decision& decision(std::size_t program) const override { return decisions_[program]; }
  std::size_t size() const override { return programs_.size(); }
  const frontend::Type& result_type(std::size_t program) const override {
    return *programs_[program]->prepared().signature().result;
  }
  const std::string& semantics(std::size_t program) const override {
    return programs_[program]->prepared().semantics();
  }
  const std::vector<std::string>& row_names(std::size_t program) const override {
    return programs_[program]->prepared().row_names();
  }

  Status start(const ApplyOptions& options, std::vector<Answer>& answers) override {
    answers.clear();
    for (const std::unique_ptr<Program>& program : programs_) {
      const Stopwatch watch;
      Program::Found found;
      if (const Status status = program->run(present_.graph(), options.run, found); status != Status::Ok) return status;
      program->invalidate();
      Answer answer = program->answer(std::move(found), nullptr);
      answer.match_ms = watch.ms();
      answers.push_back(std::move(answer));
    }
    return Status::Ok;
  }

  Status apply(const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) override {
    answers.clear();
    Status status = options.quiet ? Status::Ok : make_current(options);
    if (status != Status::Ok) return status;
    runtime::Result<ResidentGraph::Shared> next = rebuilt(*present_.graph(), batch);
    if (!next) return reporter_->error(next.error());
    Rest rest;
    const bool relabels = batch.relabels();
    if (!options.quiet && wants_rest(relabels)) {
      status = find_rest(batch, rest);
      if (status != Status::Ok) return status;
    }
    for (const std::unique_ptr<Program>& program : programs_) {
      if (options.quiet) {
        program->invalidate();
        continue;
      }
      const Stopwatch watch;
      Program::Found found, left;
      const bool asks =
          program->wants_rest(relabels) && !(rest.has_other_edges && program->prepared().counts_any_edge());
      if (asks && rest.own != nullptr) status = program->run(rest.own, options.run, left);
      if (status == Status::Ok) status = program->run(*next, options.run, found);
      if (status != Status::Ok) return status;
      if (asks && rest.own == nullptr) left.total = rest.is_old ? program->last_total() : found.total;
      Answer answer = program->answer(std::move(found), asks ? &left.total : nullptr);
      answer.match_ms = watch.ms();
      answers.push_back(std::move(answer));
    }
    present_.set(std::move(*next));
    return Status::Ok;
  }

  Status set_dictionary(std::shared_ptr<const runtime::LabelDictionary> dictionary) override {
    runtime::Result<ResidentGraph::Shared> other = recoded(*present_.graph(), std::move(dictionary));
    if (!other) return reporter_->error(other.error());
    present_.set(std::move(*other));
    for (const std::unique_ptr<Program>& program : programs_) {
      if (const Status status = program->compile(present_.graph()); status != Status::Ok) return status;
    }
    return Status::Ok;
  }

 private:
  /// Recomputes results that are unknown after quiet batches.
  Status make_current(const ApplyOptions& options) {
    for (const std::unique_ptr<Program>& program : programs_) {
      if (program->is_current()) continue;
      Program::Found found;
      if (const Status status = program->run(present_.graph(), options.run, found); status != Status::Ok) return status;
      (void)program->answer(std::move(found), nullptr);
    }
    return Status::Ok;
  }

  bool wants_rest(bool relabels) const {
    return std::ranges::any_of(programs_,
                               [&](const std::unique_ptr<Program>& program) { return program->wants_rest(relabels); });
  }

  /// The common part of the graphs before and after a batch, with a special label where labels differ: its matches are
  /// those in both. It is one of the two graphs if the batch only inserts or only deletes.
  struct Rest {
    ResidentGraph::Shared own;  ///< Null: it is one of the two graphs.
    bool is_old = false;
    bool has_other_edges = false;  ///< It has edges that neither graph has, instead of those whose labels changed.
  };
  Status find_rest(const NetBatch& batch, Rest& rest) {
    NetBatch taken;
    taken.deleted = batch.deleted;
    bool comes = !batch.inserted.empty(), goes = !batch.deleted.empty();
    for (const VertexChange& change : batch.vertices) {
      comes = comes || change.is;
      goes = goes || change.was;
      if (!change.was) continue;
      VertexChange& both = taken.vertices.emplace_back(change);
      if (both.is) both.new_label = kTwoLabels;
    }
    rest.is_old = !goes;
    if (!comes || !goes) return Status::Ok;
    if (present_.keeps_edge_labels()) keep_ends(batch, taken);
    runtime::Result<ResidentGraph::Shared> made = rebuilt(*present_.graph(), taken);
    if (!made) return reporter_->error(made.error());
    rest.own = std::move(*made);
    rest.has_other_edges = !taken.inserted.empty();
    return Status::Ok;
  }

  /// Ends that are adjacent before and after a batch, by edges of different labels, stay adjacent.
  void keep_ends(const NetBatch& batch, NetBatch& taken) const {
    std::vector<std::int64_t> labels;
    const auto ends = [](const EdgeChange& edge) { return std::tie(edge.u, edge.v); };
    for (auto first = batch.deleted.begin(), last = first; first != batch.deleted.end(); first = last) {
      while (last != batch.deleted.end() && ends(*last) == ends(*first)) ++last;
      const auto come = std::lower_bound(batch.inserted.begin(), batch.inserted.end(), *first,
                                         [&](const EdgeChange& a, const EdgeChange& b) { return ends(a) < ends(b); });
      labels.clear();
      present_.labels_between(first->u, first->v, labels);
      const bool all_go = labels.size() == static_cast<std::size_t>(last - first);
      const bool comes = come != batch.inserted.end() && ends(*come) == ends(*first);
      if (all_go && comes) taken.inserted.push_back({first->u, first->v, kTwoLabels});
    }
  }

  PresentGraph present_;
  std::shared_ptr<const Reporter> reporter_;
  Prepared::Reading reading_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::vector<planner::Decision> decisions_;
};

}  // namespace

Status Engine::apply_each(const std::vector<NetBatch>& batches, const ApplyOptions& options,
                          std::vector<std::vector<Answer>>& answers) {
  answers.clear();
  for (const NetBatch& batch : batches) {
    const Status status = apply(batch, options, answers.emplace_back());
    if (status != Status::Ok) {
      answers.pop_back();
      return status;
    }
  }
  return Status::Ok;
}

Status Engine::apply_delayed(const NetBatch& /*batch*/, const ApplyOptions& /*options*/, bool& is_delayed) {
  is_delayed = false;
  return Status::Ok;
}

Status Engine::settle(bool /*all*/, std::vector<DelayedAnswers>& answers) {
  answers.clear();
  return Status::Ok;
}

std::unique_ptr<Engine> make_recompute(const ResidentGraph::Shared& start, std::shared_ptr<const Reporter> reporter,
                                       const Prepared::Reading& reading) {
  // Labels may arrive later, and have entries from the start.
  runtime::Result<ResidentGraph::Shared> own = rebuilt(*start, NetBatch());
  if (!own) {
    reporter->error(own.error());
    return nullptr;
  }
  return std::make_unique<Recompute>(std::move(*own), std::move(reporter), reading);
}

}  // namespace matcha::session::stream
