#include "incremental/feed.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace matcha::session::stream {

namespace {

nlohmann::json row_of(const Window::Edge& edge) { return {edge.time, edge.u, edge.v, edge.line}; }

Window::Edge edge_of(const nlohmann::json& row) {
  return {row.at(0).get<std::int64_t>(), row.at(1).get<std::int64_t>(), row.at(2).get<std::int64_t>(),
          row.at(3).get<std::uint64_t>()};
}

}  // namespace

LineKind Feed::begin(std::string_view line, std::string& error) {
  const std::string_view text = line.substr(std::min(line.find_first_not_of(" \t\r"), line.size()));
  if (text.empty()) return LineKind::Blank;
  if (is_comment(text)) {
    comment_ = text;
    return LineKind::Comment;
  }
  bool is_heading = false;
  if (!choose_columns(line, comment_, rules_.columns, rules_.lines.columns, is_heading, error)) return LineKind::Error;
  if (rules_.lines.maybe_rows != nullptr && !rules_.lines.maybe_rows->choose(rules_.lines.columns, error)) {
    return LineKind::Error;
  }
  is_begun_ = true;
  return is_heading ? LineKind::Comment : LineKind::Update;
}

LineKind Feed::push(std::string_view line, std::uint64_t number, std::string& error) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (number == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (rules_.lines.temporal && !is_begun_) {
    const LineKind first = begin(line, error);
    if (first != LineKind::Update) return first;
  }
  Update update;
  const LineKind kind = read_update(line, rules_.lines, codes_, update, error);
  if (kind != LineKind::Update) return kind;
  LedgerRows* const maybe_rows = rules_.lines.maybe_rows.get();
  update.line = maybe_rows != nullptr ? maybe_rows->next_row() : number;
  if (!rules_.lines.temporal) {
    ready_.push_back(update);
    return kind;
  }
  if (maybe_rows != nullptr && !maybe_rows->read_cells(line, rules_.lines.columns, error)) return LineKind::Error;
  if (maybe_rows != nullptr && !std::exchange(has_units_, true)) take_units();
  const bool is_kept = window_.push(update, ready_);
  batch_.late += is_kept ? 0 : 1;
  if (maybe_rows != nullptr) maybe_rows->take(update, number, is_kept);
  return kind;
}

void Feed::take_units() {
  const auto scaled = [per_second =
                           static_cast<std::int64_t>(rules_.lines.maybe_rows->per_second())](std::int64_t seconds) {
    std::int64_t units = 0;
    return __builtin_mul_overflow(seconds, per_second, &units) ? INT64_MAX : units;
  };
  rules_.lines.maybe_rows->take_names(rules_.lines.maybe_names);
  if (rules_.width) rules_.width = scaled(*rules_.width);
  if (rules_.slide) rules_.slide = scaled(*rules_.slide);
  rules_.lateness = scaled(rules_.lateness);
  window_ = Window(rules_.width, rules_.lateness, rules_.directed, true);
}

void Feed::begin_file(const ColumnRequest& columns) {
  rules_.columns = columns;
  rules_.lines.columns = {};
  is_begun_ = false;
  comment_.clear();
}

void Feed::flush() { window_.flush(ready_); }

/// Intervals begin at multiples of the slide, also before 0.
std::int64_t Feed::interval_of(std::int64_t time) const {
  const std::int64_t slide = *rules_.slide;
  return time / slide - (time % slide < 0 ? 1 : 0);
}

bool Feed::begins_slide() const {
  return rules_.slide && !ready_.empty() && !batch_.updates.empty() &&
         interval_of(ready_.front().time) != interval_of(batch_.updates.front().time);
}

void Feed::take() {
  const Update& update = ready_.front();
  batch_.updates.push_back(update);
  ++batch_.taken;
  if (update.line != 0) {
    ++batch_.lines;
    if (rules_.lines.temporal) {
      if (!batch_.first_time) batch_.first_time = update.time;
      batch_.last_time = update.time;
    }
  }
  ready_.pop_front();
}

RawBatch Feed::end_batch() { return std::exchange(batch_, {}); }

nlohmann::json Feed::saved() const {
  nlohmann::json live = nlohmann::json::array(), waiting = live, ready = live;
  for (const Window::Edge& edge : window_.live()) live.push_back(row_of(edge));
  for (const auto& [time, edge] : window_.waiting()) waiting.push_back(row_of(edge));
  for (const Update& update : ready_) {
    ready.push_back({static_cast<int>(update.kind), update.u, update.v, update.time, update.line});
  }
  nlohmann::json saved = {{"live", std::move(live)}, {"waiting", std::move(waiting)}, {"ready", std::move(ready)}};
  const TimedColumns& columns = rules_.lines.columns;
  saved["begun"] = is_begun_;
  saved["first-decides"] = rules_.lines.first_decides;
  saved["columns"] = {columns.index[0], columns.index[1],  columns.index[2],
                      columns.count,    columns.separator, columns.has_heading};
  if (rules_.lines.maybe_rows != nullptr) {
    saved["units"] = has_units_;
    for (const std::string& name : columns.heading) saved["heading"].push_back(saved_bytes(name));
  }
  if (window_.latest()) saved["latest"] = *window_.latest();
  if (window_.released()) saved["released"] = *window_.released();
  return saved;
}

void Feed::restore(const nlohmann::json& saved) {
  std::deque<Window::Edge> live;
  std::multimap<std::int64_t, Window::Edge> waiting;
  for (const nlohmann::json& row : saved.at("live")) live.push_back(edge_of(row));
  for (const nlohmann::json& row : saved.at("waiting")) {
    const Window::Edge edge = edge_of(row);
    waiting.emplace(edge.time, edge);
  }
  const auto time_at = [&](const char* key) {
    return saved.contains(key) ? std::optional(saved.at(key).get<std::int64_t>()) : std::nullopt;
  };
  // States of an earlier version have lines without a heading.
  is_begun_ = saved.value("begun", true);
  rules_.lines.first_decides = saved.value("first-decides", false) && rules_.lines.maybe_names == nullptr;
  if (saved.contains("columns")) {
    const nlohmann::json& row = saved.at("columns");
    rules_.lines.columns = {{row.at(0).get<unsigned>(), row.at(1).get<unsigned>(), row.at(2).get<unsigned>()},
                            row.at(4).get<char>(),
                            row.at(3).get<unsigned>(),
                            row.at(5).get<bool>()};
  }
  for (const nlohmann::json& name : saved.value("heading", nlohmann::json::array())) {
    rules_.lines.columns.heading.push_back(restored_bytes(name.get_ref<const std::string&>()).value_or(""));
  }
  LedgerRows* const maybe_rows = rules_.lines.maybe_rows.get();
  std::string ignored;
  if (maybe_rows != nullptr && is_begun_) static_cast<void>(maybe_rows->choose(rules_.lines.columns, ignored));
  has_units_ = saved.value("units", false);
  if (maybe_rows != nullptr && has_units_) take_units();
  window_.restore(std::move(live), std::move(waiting), time_at("latest"), time_at("released"));
  ready_.clear();
  for (const nlohmann::json& row : saved.at("ready")) {
    Update update;
    update.kind = static_cast<UpdateKind>(row.at(0).get<int>());
    update.u = row.at(1).get<std::int64_t>();
    update.v = row.at(2).get<std::int64_t>();
    update.time = row.at(3).get<std::int64_t>();
    update.line = row.at(4).get<std::uint64_t>();
    ready_.push_back(update);
  }
  batch_ = {};
}

}  // namespace matcha::session::stream
