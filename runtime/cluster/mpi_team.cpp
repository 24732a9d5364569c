#include "runtime/cluster/mpi_team.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace matcha::runtime::cluster {

namespace {

constexpr int kHeadTag = 71;
constexpr int kBodyTag = 72;
/// Units that a rank holds at most: the current one and the next.
constexpr std::uint64_t kUnitsHeld = 2;
/// How long the thread sleeps when idle; longer after a while without work.
constexpr std::chrono::microseconds kShortPause{50};
constexpr std::chrono::microseconds kLongPause{500};
constexpr unsigned kShortPauses = 2000;

Error team_error(std::string message) { return Error{ErrorKind::Runtime, std::move(message), "", 0, ""}; }

}  // namespace

Result<std::unique_ptr<MpiTeam>> MpiTeam::join(std::size_t piece) {
  std::unique_ptr<MpiTeam> team(new MpiTeam(piece));
  MpiTeam& t = *team;
  t.thread_ = std::thread([&t] { t.serve(); });
  std::unique_lock<std::mutex> lock(t.mutex_);
  t.changed_.wait(lock, [&] { return t.joined_ || t.failure_; });
  if (t.failure_) {
    const Error error = *t.failure_;
    t.left_ = true;
    return error;
  }
  return team;
}

MpiTeam::~MpiTeam() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!left_ && joined_ && !abort_code_) abort_code_ = EXIT_FAILURE;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// The thread that calls MPI

void MpiTeam::serve() {
  Result<std::unique_ptr<MpiLibrary>> world = MpiLibrary::open();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (world) {
      mpi_ = std::move(*world);
      rank_ = mpi_->rank();
      size_ = mpi_->size();
      library_ = mpi_->version();
      if (rank_ == 0) board_.emplace(size_);
      joined_ = true;
    } else {
      failure_ = world.error();
    }
  }
  changed_.notify_all();
  if (!joined_) return;
  Status served = rank_ == 0 ? serve_board() : serve_rank();
  std::unique_lock<std::mutex> lock(mutex_);
  if (served && !abort_code_) {
    lock.unlock();
    served = mpi_->leave();
    lock.lock();
  }
  if (!served) {
    failure_ = served.error();
  } else if (!abort_code_) {
    left_ = true;
  }
  changed_.notify_all();
  // After an error the other ranks may wait for this rank forever.
  changed_.wait(lock, [&] { return left_ || abort_code_; });
  if (abort_code_) mpi_->abort(*abort_code_);
}

/// Sleeps a little. False: the thread should end.
bool MpiTeam::pause(unsigned& idle) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, idle < kShortPauses ? kShortPause : kLongPause, [&] { return abort_code_.has_value(); });
  ++idle;
  return !abort_code_;
}

Status MpiTeam::serve_board() {
  unsigned idle = 0;
  while (true) {
    std::optional<Message> message = MATCHA_TRY(receive());
    const bool some = message.has_value();
    if (some) {
      idle = 0;
      if (Status did = answer(std::move(*message)); !did) return did;
    }
    if (Status did = answer_waiting(); !did) return did;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (leaving_ && ranks_done_ == size_ - 1) return Done{};
    }
    if (!some && !pause(idle)) return Done{};
  }
}

/// Every message but the last gets one answer, at once or later.
Status MpiTeam::answer(Message message) {
  std::unique_lock<std::mutex> lock(mutex_);
  const int from = static_cast<int>(message.from);
  Message reply;
  reply.region = message.region;
  switch (message.kind) {
    case Kind::Agree: texts_[message.from] = std::move(message.bytes); break;
    case Kind::Finish:
      if (message.number != 0) board_->stop();
      board_->wait_for_end(message.region, from);
      waiting_[message.region].insert(from);
      break;
    case Kind::Leave:
      board_->leave(from);
      ++ranks_done_;
      break;
    case Kind::Give: {
      if (Status did = board_->give(message.region, from, std::move(message.bytes)); !did) return did;
      reply.kind = Kind::Units;
      lock.unlock();
      changed_.notify_all();
      return send(from, reply);
    }
    case Kind::Claim:
    case Kind::Done: {
      Status did = Done{};
      std::uint64_t units = message.number;
      if (message.kind == Kind::Done) {
        // The number of units follows the record.
        std::memcpy(&units, message.bytes.data() + message.bytes.size() - sizeof(units), sizeof(units));
        message.bytes.resize(message.bytes.size() - sizeof(units));
        did = board_->done(message.region, message.number, from, std::move(message.bytes));
      }
      if (!did) return did;
      const std::vector<std::uint64_t> given =
          MATCHA_TRY(board_->claim(message.region, units, from, message.kind == Kind::Claim ? kUnitsHeld : 1));
      reply.kind = Kind::Units;
      reply.bytes.assign(reinterpret_cast<const char*>(given.data()), given.size() * sizeof(std::uint64_t));
      lock.unlock();
      changed_.notify_all();
      return send(from, reply);
    }
    case Kind::Verdict:
    case Kind::Units:
    case Kind::Merged: return team_error("internal error: an MPI message that rank 0 never gets");
  }
  lock.unlock();
  changed_.notify_all();
  return Done{};
}

Status MpiTeam::answer_waiting() {
  std::unique_lock<std::mutex> lock(mutex_);
  std::vector<std::pair<int, Message>> replies;
  if (verdict_ && !texts_.empty()) {
    for (const auto& [rank, text] : texts_) {
      if (rank != 0) replies.emplace_back(static_cast<int>(rank), Message{Kind::Verdict, 0, 0, 0, *verdict_});
    }
    texts_.clear();
    verdict_.reset();
    changed_.notify_all();
  }
  for (auto& [region, ranks] : waiting_) {
    const auto merged = merged_.find(region);
    if (merged == merged_.end() && !leaving_) continue;
    // Rank 0 was stopped before it reached the region.
    const TeamResult none;
    const TeamResult& result = merged == merged_.end() ? none : merged->second;
    for (const int rank : ranks) {
      replies.emplace_back(rank, Message{Kind::Merged, 0, region, result.is_complete ? 1u : 0u, result.merged});
    }
    informed_[region] += static_cast<int>(ranks.size());
    ranks.clear();
    if (informed_[region] == size_ - 1) merged_.erase(region);
  }
  lock.unlock();
  for (const auto& [rank, reply] : replies) {
    if (Status did = send(rank, reply); !did) return did;
  }
  return Done{};
}

Status MpiTeam::serve_rank() {
  unsigned idle = 0;
  bool awaits_reply = false;
  while (true) {
    // One message at a time: rank 0 then never sends to a rank that is not receiving.
    if (!awaits_reply) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return !outgoing_.empty() || abort_code_; });
      if (abort_code_) return Done{};
      const Message next = std::move(outgoing_.front());
      outgoing_.pop_front();
      lock.unlock();
      if (Status did = send(0, next); !did) return did;
      if (next.kind == Kind::Leave) return Done{};
      awaits_reply = true;
      idle = 0;
    }
    std::optional<Message> reply = MATCHA_TRY(receive());
    if (reply.has_value()) {
      awaits_reply = false;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        take_reply(std::move(*reply));
      }
      changed_.notify_all();
    } else if (!pause(idle)) {
      return Done{};
    }
  }
}

void MpiTeam::take_reply(Message reply) {
  --replies_due_;
  switch (reply.kind) {
    case Kind::Verdict: their_verdict_ = std::move(reply.bytes); break;
    case Kind::Merged: result_ = TeamResult{std::move(reply.bytes), reply.number != 0}; break;
    default: {
      std::vector<std::uint64_t> units(reply.bytes.size() / sizeof(std::uint64_t));
      if (!units.empty()) std::memcpy(units.data(), reply.bytes.data(), units.size() * sizeof(std::uint64_t));
      ahead_.insert(ahead_.end(), units.begin(), units.end());
    }
  }
}

Status MpiTeam::send(int to, const Message& message) {
  const Head head{static_cast<std::uint64_t>(message.kind), static_cast<std::uint64_t>(rank_), message.region,
                  message.number, message.bytes.size()};
  if (Status did = mpi_->send(to, kHeadTag, &head, sizeof(head)); !did) return did;
  for (std::size_t at = 0; at < message.bytes.size(); at += piece_) {
    const std::size_t size = std::min(piece_, message.bytes.size() - at);
    if (Status did = mpi_->send(to, kBodyTag, message.bytes.data() + at, size); !did) return did;
  }
  return Done{};
}

/// Receives a pending message, if any. The part after its head comes from the same rank.
Result<std::optional<MpiTeam::Message>> MpiTeam::receive() {
  const bool there = MATCHA_TRY(mpi_->is_there(kHeadTag));
  if (!there) return std::optional<Message>();
  Head head{};
  if (Status did = mpi_->receive(MpiLibrary::kAnyRank, kHeadTag, &head, sizeof(head)); !did) return did.error();
  Message message{static_cast<Kind>(head.kind), head.from, head.region, head.number, {}};
  message.bytes.resize(head.size);
  for (std::size_t at = 0; at < head.size; at += piece_) {
    const std::size_t size = std::min<std::size_t>(piece_, head.size - at);
    if (Status did = mpi_->receive(static_cast<int>(head.from), kBodyTag, message.bytes.data() + at, size); !did) {
      return did.error();
    }
  }
  return std::optional<Message>(std::move(message));
}

// The threads that work

void MpiTeam::post(Message message) {
  if (message.kind != Kind::Leave) ++replies_due_;
  outgoing_.push_back(std::move(message));
  changed_.notify_all();
}

void MpiTeam::wait_for_replies(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return replies_due_ == 0 || failure_; });
}

Status MpiTeam::agree(std::string_view text) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (rank_ != 0) {
    their_verdict_.reset();
    post({Kind::Agree, 0, 0, 0, std::string(text)});
    wait_for_replies(lock);
    if (failure_) return *failure_;
    if (!their_verdict_->empty()) return team_error(*their_verdict_);
    return Done{};
  }
  texts_[0] = std::string(text);
  changed_.wait(lock, [&] { return texts_.size() == static_cast<std::size_t>(size_) || failure_; });
  if (failure_) return *failure_;
  std::string verdict;
  for (const auto& [rank, theirs] : texts_) {
    if (verdict.empty() && theirs != text) {
      verdict = "rank " + std::to_string(rank) + " runs something else than rank 0: another program, graph or version";
    }
  }
  verdict_ = verdict;
  changed_.wait(lock, [&] { return !verdict_ || failure_; });
  if (failure_) return *failure_;
  if (!verdict.empty()) return team_error(verdict);
  return Done{};
}

std::optional<std::uint64_t> MpiTeam::claim(std::uint64_t region, std::uint64_t units) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (rank_ == 0) {
    const Result<std::vector<std::uint64_t>> given = board_->claim(region, units, 0, 1);
    if (!given) failure_ = given.error();
    if (!given || given->empty()) return std::nullopt;
    return given->front();
  }
  if (ahead_region_ != region) {
    ahead_region_ = region;
    ahead_.clear();
    units_ = units;
    post({Kind::Claim, 0, region, units, {}});
  }
  changed_.wait(lock, [&] { return !ahead_.empty() || replies_due_ == 0 || failure_; });
  if (failure_ || ahead_.empty()) return std::nullopt;
  const std::uint64_t unit = ahead_.front();
  ahead_.pop_front();
  return unit;
}

Status MpiTeam::done(std::uint64_t region, std::uint64_t unit, std::string record) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_) return *failure_;
  if (rank_ == 0) return board_->done(region, unit, 0, std::move(record));
  record.append(reinterpret_cast<const char*>(&units_), sizeof(units_));
  post({Kind::Done, 0, region, unit, std::move(record)});
  return Done{};
}

Status MpiTeam::give(std::uint64_t region, std::string record) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_) return *failure_;
  if (rank_ == 0) return board_->give(region, 0, std::move(record));
  post({Kind::Give, 0, region, 0, std::move(record)});
  return Done{};
}

Result<TeamResult> MpiTeam::finish(std::uint64_t region, bool stopped, const Merge& merge) {
  return rank_ == 0 ? finish_as_first(region, stopped, merge) : finish_as_other(region, stopped);
}

Result<TeamResult> MpiTeam::finish_as_first(std::uint64_t region, bool stopped, const Merge& merge) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (stopped) board_->stop();
  board_->wait_for_end(region, 0);
  changed_.wait(lock, [&] { return board_->is_over(region) || failure_; });
  if (failure_) return *failure_;
  TeamResult result;
  result.is_complete = board_->is_complete(region);
  std::vector<std::string> records = board_->take_records(region);
  lock.unlock();
  result.merged = MATCHA_TRY(merge(std::move(records)));
  lock.lock();
  merged_[region] = result;
  changed_.notify_all();
  return result;
}

Result<TeamResult> MpiTeam::finish_as_other(std::uint64_t region, bool stopped) {
  std::unique_lock<std::mutex> lock(mutex_);
  wait_for_replies(lock);
  result_.reset();
  post({Kind::Finish, 0, region, stopped ? 1u : 0u, {}});
  wait_for_replies(lock);
  if (failure_) return *failure_;
  return std::move(*result_);
}

std::pair<std::uint64_t, std::uint64_t> MpiTeam::progress() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!board_) return {0, 0};
  return {board_->units_done(), board_->units_total()};
}

Status MpiTeam::leave() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (rank_ != 0) {
    post({Kind::Leave, 0, 0, 0, {}});
  } else {
    board_->leave(0);
  }
  leaving_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return left_ || failure_; });
  if (failure_) return *failure_;
  return Done{};
}

void MpiTeam::abort(int code) {
  // The thread may be inside a call that does not return; then the launcher ends the other ranks.
  constexpr std::chrono::seconds kPatience{5};
  std::unique_lock<std::mutex> lock(mutex_);
  abort_code_ = code;
  changed_.notify_all();
  changed_.wait_for(lock, kPatience, [] { return false; });
  std::_Exit(code);
}

}  // namespace matcha::runtime::cluster
