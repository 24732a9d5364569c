#include "incremental/answer_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "ir/support/utf8.h"
#include "session/ledger/columns.h"
#include "session/values.h"

namespace matcha::session::stream {

namespace {

void append(std::string& out, const Number& number, Style style) {
  if (const auto* const integer = std::get_if<__int128>(&number)) append_int(out, *integer);
  if (const auto* const wide = std::get_if<WideNumber>(&number)) {
    out += (wide->is_negative ? "-" : "") + wide->magnitude.to_string();
  }
  if (const auto* const vertex = std::get_if<VertexNumber>(&number)) append_int(out, vertex->id);
  if (const auto* const value = std::get_if<double>(&number)) append_float(out, *value, style);
  if (const auto* const flag = std::get_if<bool>(&number)) out += *flag ? "true" : "false";
  if (const auto* const text = std::get_if<std::string>(&number)) {
    if (style == Style::Json) {
      append_name(out, *text, style);
    } else {
      out += *text;
    }
  }
}

std::string text_of(const std::vector<Number>& numbers, bool with_sign) {
  std::string out;
  for (const Number& number : numbers) {
    if (!out.empty()) out += ' ';
    std::string one;
    append(one, number, Style::Text);
    if (with_sign && one.front() != '-') out += '+';
    out += one;
  }
  return out;
}

std::string json_of(const std::vector<Number>& numbers) {
  std::string out;
  for (const Number& number : numbers) {
    if (!out.empty()) out += ',';
    append(out, number, Style::Json);
  }
  return numbers.size() == 1 ? out : "[" + out + "]";
}

std::string text_of(__int128 number) {
  std::string out;
  append_int(out, number);
  return out;
}

}  // namespace

std::string answer_line(const BatchFacts& facts, const Answer& answer, const std::string& maybe_name) {
  std::string line = fmt::format("batch {}", facts.batch);
  if (!maybe_name.empty()) line += "  " + maybe_name;
  if (answer.plus && answer.minus) {
    line += fmt::format("  +{} -{}", text_of(*answer.plus), text_of(*answer.minus));
  } else if (!answer.delta.empty()) {
    line += "  " + text_of(answer.delta, true);
  }
  if (!answer.total.empty()) line += "  total " + text_of(answer.total, false);
  return line + "\n";
}

std::string answer_json(const BatchFacts& facts, const Answer& answer, const std::string& maybe_name,
                        const planner::Decision* maybe_decision) {
  JsonObject object;
  const auto number = [&](const char* key, const auto value) { object.add(key, std::to_string(value)); };
  object.add("schema", "\"matcha.stream/1\"");
  if (!maybe_name.empty()) object.add("program", nlohmann::json(escape_invalid_utf8(maybe_name)).dump());
  number("batch", facts.batch);
  number("updates", facts.updates);
  number("inserted", facts.inserted);
  number("deleted", facts.deleted);
  number("noops", facts.noops);
  number("late", facts.late);
  if (answer.plus && answer.minus) {
    object.add("plus", text_of(*answer.plus));
    object.add("minus", text_of(*answer.minus));
  }
  if (!answer.delta.empty()) object.add("delta", json_of(answer.delta));
  if (!answer.total.empty()) object.add("total", json_of(answer.total));
  for (const auto& [key, time] : {std::pair("first_t", facts.first_time), std::pair("last_t", facts.last_time)}) {
    if (!time) continue;
    object.add(key, facts.are_dates ? "\"" + ledger::text_of_time(*time) + "\"" : std::to_string(*time));
  }
  number("offset", facts.offset);
  object.add("how", fmt::format("\"{}\"", method_name(answer.how)));
  if (maybe_decision != nullptr) object.add("engines", planner::to_json(*maybe_decision).dump());
  if (answer.on_gpu) object.add("device", "\"cuda\"");
  if (answer.gpu_rows) {
    const GpuRows& rows = *answer.gpu_rows;
    const nlohmann::ordered_json gpu_rows = {{"kept", rows.kept},
                                             {"sent", rows.sent},
                                             {"left", rows.left},
                                             {"gone", rows.evicted},
                                             {"near", rows.resident_reads},
                                             {"far", rows.remote_reads},
                                             {"hits", rounded(rows.hit_share())},
                                             {"choose_ms", rounded(rows.choose_ms)},
                                             {"move_ms", rounded(rows.move_ms)}};
    object.add("gpu_rows", gpu_rows.dump());
  }
  object.add("ms", fmt::format("{{\"wait\":{},\"apply\":{},\"match\":{}}}", rounded(facts.wait_ms),
                               rounded(facts.apply_ms), rounded(answer.match_ms)));
  return object.print(true);
}

namespace {

/// The places of rows in ascending order, so that a stream writes the same rows whether or not it was restarted.
std::vector<std::uint64_t> order_of(const RowChanges& changes) {
  std::vector<std::uint64_t> order(changes.signs.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::sort(order, [&](std::uint64_t a, std::uint64_t b) {
    return is_row_before(changes.rows.row(a), changes.rows.row(b), changes.rows.kinds);
  });
  return order;
}

/// The cells of a row with a separator between them.
void append_cells(std::string& text, const RowChanges& changes, std::uint64_t at, Style style, char separator,
                  const VertexNames* maybe_names) {
  const std::uint64_t* const row = changes.rows.row(at);
  for (std::size_t column = 0; column < changes.rows.kinds.size(); ++column) {
    if (column != 0) text += separator;
    const std::int64_t item = static_cast<std::int64_t>(row[column]);
    switch (changes.rows.kinds[column]) {
      case runtime::ElementKind::Float: {
        double value = 0;
        std::memcpy(&value, row + column, sizeof(value));
        append_float(text, value, style);
        break;
      }
      case runtime::ElementKind::Bool: text += item != 0 ? "true" : "false"; break;
      case runtime::ElementKind::Vid:
        if (maybe_names != nullptr) {
          append_name(text, maybe_names->name(item), style, separator);
        } else {
          text += std::to_string(item);
        }
        break;
      case runtime::ElementKind::Int: {
        const auto id = changes.edge_ids.find(row[column]);
        if (id == changes.edge_ids.end()) {
          text += std::to_string(item);
        } else if (ledger::plain_int(id->second)) {
          text += id->second;
        } else {
          append_name(text, id->second, style, separator);
        }
        break;
      }
    }
  }
}

}  // namespace

std::string rows_text(std::uint64_t batch, const RowChanges& changes, const RowFormat& format,
                      const VertexNames* maybe_names) {
  std::string text;
  const bool json = format.kind == RowFormat::Kind::Ndjson;
  for (const std::uint64_t at : order_of(changes)) {
    const char sign = changes.signs[at] > 0 ? '+' : '-';
    text += json ? fmt::format("{{\"batch\":{},\"change\":\"{}\",\"row\":[", batch, sign)
                 : fmt::format("{}{}{}{}", batch, format.separator, sign, format.separator);
    append_cells(text, changes, at, json ? Style::Json : Style::Text, json ? ',' : format.separator, maybe_names);
    text += json ? "]}\n" : "\n";
  }
  return text;
}

std::string rows_json(const RowChanges& changes, const std::vector<std::string>& names,
                      const VertexNames* maybe_names) {
  std::string rows[2];
  for (const std::uint64_t at : order_of(changes)) {
    std::string& text = rows[changes.signs[at] > 0 ? 0 : 1];
    text += text.empty() ? "[" : ",[";
    append_cells(text, changes, at, Style::Json, ',', maybe_names);
    text += ']';
  }
  std::string columns;
  for (const std::string& name : names) {
    if (!columns.empty()) columns += ',';
    append_name(columns, name, Style::Json);
  }
  return fmt::format("{{\"columns\":[{}],\"added\":[{}],\"removed\":[{}]}}", columns, rows[0], rows[1]);
}

std::optional<std::uint64_t> batch_of_line(std::string_view line) {
  constexpr std::string_view kText = "batch ", kKey = "\"batch\":";
  std::size_t at = kText.size();
  if (!line.starts_with(kText)) {
    at = line.find(kKey);
    if (!line.starts_with('{') || at == std::string_view::npos) return std::nullopt;
    at = line.find_first_not_of(' ', at + kKey.size());
    if (at == std::string_view::npos) return std::nullopt;
  }
  std::uint64_t batch = 0;
  const std::from_chars_result read = std::from_chars(line.data() + at, line.data() + line.size(), batch);
  if (read.ec != std::errc()) return std::nullopt;
  return batch;
}

namespace {

/// Buckets of 1% from a microsecond on: the last one is beyond 20,000 seconds.
constexpr double kLeastMs = 1e-3, kStep = 1.01;

}  // namespace

void Latencies::add(double ms, std::uint64_t updates) {
  const double at = std::log(std::max(ms, kLeastMs) / kLeastMs) / std::log(kStep);
  counts_[std::min(static_cast<std::size_t>(at), kBuckets - 1)] += updates;
  updates_ += updates;
  most_ = std::max(most_, ms);
}

double Latencies::quantile(double part) const {
  const double wanted = part * static_cast<double>(updates_);
  std::uint64_t below = 0;
  for (std::size_t bucket = 0; bucket < kBuckets && updates_ != 0; ++bucket) {
    below += counts_[bucket];
    if (static_cast<double>(below) >= wanted && below != 0) {
      return std::min(most_, kLeastMs * std::pow(kStep, static_cast<double>(bucket + 1)));
    }
  }
  return most_;
}

}  // namespace matcha::session::stream
