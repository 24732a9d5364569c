#include "incremental/window.h"

namespace matcha::session::stream {

namespace {

/// True if `time` is at least `later` after `before`, without overflow.
bool is_past(std::int64_t time, std::int64_t before, std::int64_t later) {
  return static_cast<__int128>(time) - before >= later;
}

}  // namespace

bool Window::push(const Update& line, std::deque<Update>& out) {
  const Edge edge{line.time, line.u, line.v, line.line};
  // Later than allowed.
  if (latest_ && edge.time < *latest_ && is_past(*latest_ - 1, edge.time, lateness_)) return false;
  if (released_ && edge.time < *released_) return false;
  if (!latest_ || edge.time > *latest_) latest_ = edge.time;
  if (lateness_ == 0) {
    release(edge, out);
    return true;
  }
  waiting_.emplace(edge.time, edge);
  while (!waiting_.empty() && is_past(*latest_, waiting_.begin()->first, lateness_)) {
    release(waiting_.begin()->second, out);
    waiting_.erase(waiting_.begin());
  }
  return true;
}

void Window::flush(std::deque<Update>& out) {
  for (const auto& [time, edge] : waiting_) release(edge, out);
  waiting_.clear();
}

void Window::release(const Edge& edge, std::deque<Update>& out) {
  released_ = edge.time;
  Update update;
  update.time = edge.time;
  if (width_) {
    for (; !live_.empty() && is_past(edge.time, live_.front().time, *width_); live_.pop_front()) {
      if (!by_line_ && !pairs_.remove(live_.front().u, live_.front().v)) continue;
      update.kind = UpdateKind::DeleteEdge;
      update.u = live_.front().u;
      update.v = live_.front().v;
      out.push_back(update);
    }
    if (!by_line_ && edge.u != edge.v) pairs_.add(edge.u, edge.v);
    if (by_line_ || edge.u != edge.v) live_.push_back(edge);
  }
  update.kind = UpdateKind::InsertEdge;
  update.u = edge.u;
  update.v = edge.v;
  update.line = edge.line;
  out.push_back(update);
}

void Window::restore(std::deque<Edge> live, std::multimap<std::int64_t, Edge> waiting,
                     std::optional<std::int64_t> latest, std::optional<std::int64_t> released) {
  live_ = std::move(live);
  waiting_ = std::move(waiting);
  latest_ = latest;
  released_ = released;
  pairs_.clear();
  if (by_line_) return;
  for (const Edge& edge : live_) pairs_.add(edge.u, edge.v);
}

}  // namespace matcha::session::stream
