#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "server/protocol.h"

namespace matcha::server {

/// Counts since the start, and the present state, in the text format of Prometheus. For any number of threads.
class Metrics {
 public:
  struct Now {
    std::size_t waiting = 0, connections = 0;
    bool runs = false, drains = false;
  };

  /// A request has its answer, after this time with that in the queue; `rows` of a stream.
  void add_answer(Status status, double seconds, std::uint64_t rows);
  void add_response(int code);
  /// `graphs`: the object of `add_graphs`.
  std::string text(const Now& now, const Json& graphs) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> answers_;  ///< By word of the status.
  std::map<int, std::uint64_t> responses_;        ///< By code.
  std::uint64_t rows_ = 0;
  double seconds_ = 0;
};

}  // namespace matcha::server
