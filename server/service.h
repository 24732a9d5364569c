#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "server/protocol.h"
#include "session/reporter.h"
#include "session/resident_graph.h"

namespace matcha::server {

/// How requests come by HTTP.
struct HttpOptions {
  std::string address;  ///< As `http::Listener::listen` takes it.
  /// The token that requests must have; empty: none, which is allowed only on an address of this machine.
  std::string token;
  double drain_seconds = 30;  ///< After the first signal, for requests that have come.
  bool logs = false;          ///< A line of JSON on standard error for each response.
};

/// Answers requests by HTTP until `stop` is not 0 and all requests are answered, or the time to drain is over; then the
/// others get status `cancelled`. docs/serve.md has the paths. `usual` has the defaults of all requests. Prints a line
/// about the graph and the address when it is ready. Ok, or Input or Usage if it cannot listen.
Status serve_http(const session::ResidentGraph::Shared& graph, std::optional<runtime::Tier> tier,
                  const ServeRequest& usual, const HttpOptions& options, const std::atomic<std::uint32_t>& stop,
                  const Reporter& reporter);

}  // namespace matcha::server
