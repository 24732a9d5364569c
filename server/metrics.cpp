#include "server/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

#include "session/version.h"

namespace matcha::server {

namespace {

/// The value of a label, in quotes.
std::string label_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

void add_head(std::string& out, std::string_view name, std::string_view kind, std::string_view help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

template <typename T>
void add_one(std::string& out, std::string_view name, std::string_view kind, std::string_view help, T value) {
  add_head(out, name, kind, help);
  out += fmt::format("{} {}\n", name, value);
}

/// Bytes of memory that this process has, by Linux; 0: not known.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return file ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

void Metrics::add_answer(Status status, double seconds, std::uint64_t rows) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++answers_[std::string(word_of(status))];
  seconds_ += seconds;
  rows_ += rows;
}

void Metrics::add_response(int code) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++responses_[code];
}

std::string Metrics::text(const Now& now, const Json& graphs) const {
  std::string out;
  add_head(out, "matcha_build_info", "gauge", "The version, always 1.");
  out += fmt::format("matcha_build_info{{version={}}} 1\n", label_text(matcha_version()));
  add_head(out, "matcha_graph_vertices", "gauge", "Vertices of a graph in memory.");
  for (const auto& [name, facts] : graphs.items()) {
    out += fmt::format("matcha_graph_vertices{{graph={}}} {}\n", label_text(name), facts.value("vertices", 0ULL));
  }
  add_head(out, "matcha_graph_edges", "gauge", "Edges of a graph in memory.");
  for (const auto& [name, facts] : graphs.items()) {
    out += fmt::format("matcha_graph_edges{{graph={}}} {}\n", label_text(name), facts.value("edges", 0ULL));
  }
  add_one(out, "matcha_waiting_requests", "gauge", "Requests in the queue.", now.waiting);
  add_one(out, "matcha_running_requests", "gauge", "Requests that are compiled or run.", now.runs ? 1 : 0);
  add_one(out, "matcha_connections", "gauge", "Open connections.", now.connections);
  add_one(out, "matcha_draining", "gauge", "1 after the signal to stop.", now.drains ? 1 : 0);
  add_one(out, "process_resident_memory_bytes", "gauge", "Memory of the process.", resident_bytes());
  const std::lock_guard<std::mutex> lock(mutex_);
  add_head(out, "matcha_requests_total", "counter", "Answered requests, by the status of the answer.");
  std::uint64_t all = 0;
  for (const auto& [status, count] : answers_) {
    out += fmt::format("matcha_requests_total{{status={}}} {}\n", label_text(status), count);
    all += count;
  }
  add_head(out, "matcha_http_responses_total", "counter", "HTTP responses, by code.");
  for (const auto& [code, count] : responses_) {
    out += fmt::format("matcha_http_responses_total{{code=\"{}\"}} {}\n", code, count);
  }
  add_one(out, "matcha_rows_total", "counter", "Rows of streams.", rows_);
  add_head(out, "matcha_request_seconds", "summary", "Seconds from the arrival of a request to its answer.");
  out += fmt::format("matcha_request_seconds_sum {:.6f}\nmatcha_request_seconds_count {}\n", seconds_, all);
  return out;
}

}  // namespace matcha::server
