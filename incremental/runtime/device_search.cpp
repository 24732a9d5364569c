#include "incremental/runtime/device_search.h"

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace matcha::runtime::stream {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 27;
constexpr std::size_t kMostUpdates = std::size_t{1} << 22;
/// A longer launch is not faster for each update, and the next ones wait.
constexpr std::size_t kMostAdded = std::size_t{1} << 16;

}  // namespace

Result<std::unique_ptr<DeviceSearch>> DeviceSearch::make(DynamicGraph& graph, std::vector<Device> devices) {
  std::unique_ptr<DeviceSearch> made(new DeviceSearch(graph));
  for (Device& device : devices) {
    std::unique_ptr<DeviceCopy> copy = MATCHA_TRY(DeviceCopy::make(graph, device.device, std::move(device.code)));
    made->copies_.push_back(std::move(copy));
  }
  return made;
}

/// A running kernel delays freeing device memory, possibly for long.
DeviceSearch::~DeviceSearch() {
  if (!is_under_way()) return;
  for (const auto& copy : copies_) copy->cancel();
}

void DeviceSearch::set_most_bytes(std::uint64_t bytes, std::uint64_t row_bytes) {
  most_bytes_ = bytes;
  copies_.front()->set_most_bytes(bytes, row_bytes);
}

std::string DeviceSearch::problem_of(const SharedTerms& terms) const {
  std::string why;
  (void)TermData::make(terms, graph_, why);
  return why;
}

/// By term, so that groups rarely switch to another sum.
void DeviceSearch::find_units(const SharedTerms& terms) {
  const auto each = [&](auto take) {
    for (std::uint32_t i = 0; i < begun_.size(); ++i) {
      const std::uint32_t u = graph_.class_at(begun_[i].u), v = graph_.class_at(begun_[i].v);
      for (const std::uint32_t term : terms.of(begun_[i].layer, u, v)) take(term, i);
    }
  };
  firsts_.assign(terms.all.size() + 1, 0);
  each([&](std::uint32_t term, std::uint32_t) { ++firsts_[term + 1]; });
  for (std::size_t t = 1; t < firsts_.size(); ++t) firsts_[t] += firsts_[t - 1];
  units_.resize(firsts_.back());
  each([&](std::uint32_t term, std::uint32_t update) { units_[firsts_[term]++] = {update, term}; });
}

Status DeviceSearch::make_data(const SharedTerms& terms) {
  if (data_ && data_layout_ == graph_.layout()) return Done{};
  std::string why;
  data_ = TermData::make(terms, graph_, why);
  data_layout_ = graph_.layout();
  for (const auto& copy : copies_) copy->forget_terms();
  if (data_) return Done{};
  Error error;
  error.kind = ErrorKind::Resource;
  error.message = why;
  return error;
}

Result<std::uint64_t> DeviceSearch::least_bytes(const SharedTerms& terms) {
  MATCHA_TRY(make_data(terms));
  return copies_.front()->least_bytes(*data_);
}

/// Uploads terms to the devices and, if memory is bounded, divides it.
Status DeviceSearch::prepare_terms(const SharedTerms& terms) {
  Status status = make_data(terms);
  for (const auto& copy : copies_) {
    if (status) status = copy->prepare(*data_);
  }
  return status;
}

std::size_t DeviceSearch::most_added(const SharedTerms& terms) {
  // An error will occur again.
  std::size_t most = kMostAdded;
  if (!prepare_terms(terms)) return most;
  for (const auto& copy : copies_) most = std::min(most, copy->most_updates(*data_));
  return most;
}

std::uint64_t DeviceSearch::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& copy : copies_) bytes += copy->bytes();
  return bytes;
}

/// Opens the rows of `begun_`, or of the added updates, and estimates their reads.
void DeviceSearch::open_rows(BatchRows::Graph graph, const SharedTerms& terms) {
  const std::vector<BatchUpdate>& updates = graph == BatchRows::Graph::Before ? begun_ : added_;
  const auto open = [&] {
    // Updates in the graph were checked when they were applied.
    fits_ = rows_.open(updates, graph, graph == BatchRows::Graph::After);
  };
  reads_ = {};
  // Before the first layout it is unknown if some rows are remote.
  if (most_bytes_ == 0) return open();
  const auto walk = [&] {
    const Clock::time_point begin = Clock::now();
    reads_ = walks_.estimate(terms, updates);
    walk_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  };
  // Both only read the graph.
  tbb::parallel_invoke(open, walk);
  if (!fits_) reads_ = {};
}

/// Copies `begun_`, whose rows are open, to all devices and launches their shares. If it fails, nothing is running.
Status DeviceSearch::show_and_launch(const SharedTerms& terms, std::uint32_t slots, const Partners* maybe_partners) {
  const std::size_t first = maybe_partners != nullptr ? maybe_partners->number() : 0;
  const std::size_t partners = maybe_partners != nullptr ? maybe_partners->count() : 1;
  Status status = prepare_terms(terms);
  if (!status) return status;
  find_units(terms);
  const DynamicGraph::Changes changes = graph_.take_changes();
  std::size_t launched = 0;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (!status) {
      copies_[i]->skip_batch();
      continue;
    }
    status = copies_[i]->begin({rows_,
                                reads_,
                                walk_ms_,
                                changes,
                                *data_,
                                begun_,
                                slots,
                                {units_, first + i * partners, copies_.size() * partners}});
    launched += status ? 1 : 0;
  }
  for (std::size_t i = 0; !status && i < launched; ++i) {
    copies_[i]->cancel();
    copies_[i]->end(false);
  }
  return status;
}

Result<DeviceSearch::Outcome> DeviceSearch::run(const SharedSearch::Request& request) {
  // Limits the number of units.
  const std::uint64_t of_update = std::max<std::uint64_t>(request.terms.all.size(), 1);
  const std::size_t fit = static_cast<std::size_t>(std::max<std::uint64_t>(kMostUnits / of_update, 1));
  const std::size_t most = most_bytes_ == 0 ? kMostUpdates : most_added(request.terms);
  for (std::size_t updates = std::min({request.updates.size(), most, fit});; updates /= 2) {
    Result<Outcome> outcome = run_some(request, updates);
    while (outcome && outcome->is_overfull && grow_matches()) outcome = run_some(request, updates);
    if (!outcome || !outcome->is_overfull) return outcome;
    // The matches of a single update can be listed by the host.
    outcome->is_refused = updates == 1;
    if (outcome->is_refused) return outcome;
  }
}

/// Enlarges the room for matches, if possible.
bool DeviceSearch::grow_matches() {
  bool grown = true;
  for (const auto& copy : copies_) grown = copy->grow_matches() && grown;
  return grown;
}

/// Counts a prefix of a request; if it has too many matches, nothing is done.
Result<DeviceSearch::Outcome> DeviceSearch::run_some(const SharedSearch::Request& request, std::size_t updates) {
  const Clock::time_point begin = Clock::now();
  const std::uint32_t slot = request.come ? 1 : 0;
  for (const EdgeUpdate& update : request.updates.first(updates)) {
    begun_.push_back({update.u, update.v, slot, update.layer});
  }
  Outcome none;
  is_prepared_ = false;
  open_rows(BatchRows::Graph::Before, request.terms);
  none.found.fits = fits_;
  if (!none.found.fits) {
    begun_.clear();
    return none;
  }
  Status status = show_and_launch(request.terms, 2, request.maybe_partners);
  Result<Outcome> outcome = none;
  if (status) {
    outcome = finish_with(request.stops, request.maybe_partners);
  } else {
    outcome = status.error();
  }
  begun_.clear();
  if (!outcome || !outcome->is_complete()) return outcome;
  rows_.close();
  std::vector<__int128>& maps = outcome->found.maps;
  const auto first = maps.begin() + static_cast<std::ptrdiff_t>(slot * data_->terms());
  maps = std::vector<__int128>(first, first + static_cast<std::ptrdiff_t>(data_->terms()));
  outcome->found.updates = updates;
  outcome->found.busy_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return outcome;
}

bool DeviceSearch::put(std::span<const BatchUpdate> updates, bool undone) {
  edges_.clear();
  for (const BatchUpdate& update : updates)
    edges_.push_back({update.u, update.v, update.is_insert() != undone, update.layer});
  // The device derives the changed rows from the updates, so the graph need not record them.
  return edits_.make(edges_, undone ? nullptr : &kept());
}

bool DeviceSearch::add(std::span<const BatchUpdate> updates) {
  is_prepared_ = false;
  if (!put(updates, false)) return false;
  added_.insert(added_.end(), updates.begin(), updates.end());
  return true;
}

bool DeviceSearch::is_full(const SharedTerms& terms, std::uint32_t slots) const {
  constexpr std::uint64_t kMostSums = std::uint64_t{1} << 20;
  const std::uint64_t count = std::max<std::uint64_t>(terms.all.size(), 1);
  for (const auto& copy : copies_) {
    if (data_ && copy->is_full(*data_, (slots + 2) * count)) return true;
  }
  return added_.size() >= kMostAdded || added_.size() * count >= kMostUnits || slots * count >= kMostSums;
}

void DeviceSearch::prepare(const SharedTerms& terms) {
  if (added_.empty()) return;
  open_rows(BatchRows::Graph::After, terms);
  is_prepared_ = true;
}

Status DeviceSearch::begin(const SharedTerms& terms, std::uint32_t slots) {
  if (!std::exchange(is_prepared_, false)) open_rows(BatchRows::Graph::After, terms);
  begun_ = std::exchange(added_, std::exchange(begun_, {}));
  added_.clear();
  if (fits_) return show_and_launch(terms, slots);
  Error error;
  error.kind = ErrorKind::Runtime;
  error.message = "updates that were taken into the graph are not there";
  return error;
}

bool DeviceSearch::is_idle() const {
  if (!is_under_way()) return true;
  return std::ranges::all_of(copies_, [](const auto& copy) { return copy->is_idle(); });
}

/// The combined result of all partners or, if one of them refused, a refusal.
Result<DeviceSearch::Outcome> DeviceSearch::agreed(Outcome own, Partners& partners) const {
  // The counts are followed by the number of partners that have them, and the number of their updates.
  const std::size_t counts = data_->terms() * 2;
  std::vector<__int128> numbers = own.is_complete() ? own.found.maps : std::vector<__int128>();
  numbers.resize(counts, 0);
  numbers.push_back(own.is_complete() ? 1 : 0);
  numbers.push_back(static_cast<__int128>(begun_.size()));
  std::vector<__int128> sum = MATCHA_TRY(partners.sum_of_all(numbers));
  const __int128 complete = sum[counts], updates = sum[counts + 1];
  const __int128 all = static_cast<__int128>(partners.count());
  if (updates != all * static_cast<__int128>(begun_.size())) {
    Error error;
    error.kind = ErrorKind::Runtime;
    error.message = "internal error: the ranks of a stream have other batches";
    return error;
  }
  sum.resize(counts);
  own.is_refused = complete != all;
  own.found.maps = std::move(sum);
  return own;
}

Result<DeviceSearch::Outcome> DeviceSearch::finish(const match::Stops& stops) { return finish_with(stops, nullptr); }

Result<DeviceSearch::Outcome> DeviceSearch::finish_with(const match::Stops& stops, Partners* maybe_partners) {
  Result<Outcome> outcome = finish_copies(stops);
  // A partner that was stopped or failed leaves, so that the others do not wait.
  const bool counted = outcome && outcome->found.ending == DeltaSearch::Ending::Complete;
  if (counted && maybe_partners != nullptr) outcome = agreed(std::move(*outcome), *maybe_partners);
  const bool made = outcome && outcome->is_complete();
  for (const auto& copy : copies_) copy->end(made);
  if (!made) return outcome;
  outcome->found.updates = begun_.size();
  begun_.clear();
  return outcome;
}

/// Waits for all devices, and adds their results.
Result<DeviceSearch::Outcome> DeviceSearch::finish_copies(const match::Stops& stops) {
  Result<Outcome> outcome = copies_.front()->finish(stops);
  for (std::size_t i = 1; i < copies_.size(); ++i) {
    if (!outcome) {
      copies_[i]->cancel();
      continue;
    }
    const Result<Outcome> other = copies_[i]->finish(stops);
    if (other) {
      outcome->add(*other);
    } else {
      outcome = other.error();
    }
  }
  return outcome;
}

void DeviceSearch::undo() {
  is_prepared_ = false;
  for (std::vector<BatchUpdate>* updates : {&added_, &begun_}) {
    (void)put(*updates, true);
    updates->clear();
  }
  kept().undo();
}

}  // namespace matcha::runtime::stream
