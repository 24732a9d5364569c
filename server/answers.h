#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/protocol.h"
#include "session/prepared.h"
#include "session/resident_graph.h"

namespace matcha::server {

using Clock = std::chrono::steady_clock;

/// A request that waits or is being worked on.
struct Job {
  ServeRequest request;
  std::string client;                                    ///< Clients take turns; ids are unique within a client.
  Answer spare;                                          ///< The answer where there is no memory for another.
  std::function<void(const Answer& answer)> send;        ///< Gets the answer, once, on any thread.
  std::function<bool(std::string_view lines)> on_lines;  ///< Gets rows as they are found; false: no more. May be empty.
  std::uint64_t turn = 0;                                ///< The turn in the queue.
  std::atomic<std::uint32_t> stop = 0;
  std::atomic<bool> answered = false;
  std::atomic<bool> runs = false;             ///< It is compiled, and looks at stops by itself.
  std::optional<Clock::time_point> deadline;  ///< Set when work on it begins.
  std::optional<Clock::time_point> asked;     ///< When it was asked to stop, or should have.
  Status why = Status::Interrupted;           ///< It was asked to stop for.
};

/// Compiled programs that are kept; those that were not used for longest go first.
class KeptPrograms {
 public:
  std::shared_ptr<session::Prepared> find(const std::string& key) {
    const auto found = std::ranges::find(entries_, key, &Entry::first);
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return found->second;
  }
  void add(std::string key, std::shared_ptr<session::Prepared> made) {
    constexpr std::size_t kMost = 64;
    entries_.emplace_front(std::move(key), std::move(made));
    if (entries_.size() > kMost) entries_.pop_back();
  }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<session::Prepared>>;
  std::list<Entry> entries_;
};

/// Answers requests on one graph, one after the other, and keeps the programs that it has compiled.
class Answers {
 public:
  /// `tier`: of requests that name none.
  Answers(session::ResidentGraph::Shared graph, std::optional<runtime::Tier> tier)
      : graph_(std::move(graph)), tier_(tier) {}

  /// The answer, be it an error. Throws nothing.
  Answer of(Job& job);

 private:
  Answer guarded(Job& job);
  Answer explain(const Job& job, const session::ResidentGraph::Shared& graph) const;
  /// The answer to a query that is more than one pattern. Requires: it is one.
  Answer run_statement(Job& job, session::ResidentGraph& graph) const;
  Answer run(Job& job, session::Prepared& prepared, const session::ResidentGraph& graph, double compile_ms) const;

  const session::ResidentGraph::Shared graph_;
  const std::optional<runtime::Tier> tier_;
  KeptPrograms kept_;
};

}  // namespace matcha::server
