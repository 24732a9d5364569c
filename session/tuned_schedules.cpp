#include "session/tuned_schedules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "session/output_file.h"
#include "session/version.h"

namespace matcha::session {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kSchema = "matcha.tuned/1";

/// A step of splitmix64.
std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9;
  x ^= x >> 27;
  x *= 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

std::string schedule_text(const ScheduleWords& words) {
  return words.empty() ? "default" : fmt::format("{}", fmt::join(words, " "));
}

void TuningKey::add_words(const void* words, std::uint64_t bytes) {
  const char* at = static_cast<const char*>(words);
  for (; bytes != 0;) {
    std::uint64_t word = 0;
    const std::uint64_t length = std::min<std::uint64_t>(bytes, sizeof(word));
    std::memcpy(&word, at, length);
    hash_ = mixed(hash_ + 0x9E3779B97F4A7C15 + word);
    at += length;
    bytes -= length;
  }
}

void TuningKey::add(std::string_view text) {
  const std::uint64_t length = text.size();
  add_words(&length, sizeof(length));
  add_words(text.data(), length);
}

void TuningKey::add(const runtime::Graph& graph) {
  const runtime::GraphView view = graph.view();
  add(fmt::format("{} {} {}", view.vertex_count, view.arc_count, graph.facts().directed));
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::uint64_t v = view.vertices != nullptr ? view.vertices[at] : at;
    const runtime::ArcRange arcs = runtime::arcs_of(view, v);
    const std::uint64_t facts[] = {v, arcs.end - arcs.begin,
                                   view.labels != nullptr ? static_cast<std::uint64_t>(view.labels[v]) : 0};
    add_words(facts, sizeof(facts));
    add_words(view.neighbors + arcs.begin, (arcs.end - arcs.begin) * sizeof(view.neighbors[0]));
  }
}

std::string TuningKey::text() const { return fmt::format("{:016x}", hash_); }

bool TunedSchedules::empty() const {
  std::error_code failure;
  return folder_.empty() || fs::is_empty(folder_, failure) || failure;
}

std::optional<Tuning> TunedSchedules::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream file(fs::path(folder_) / (key + ".json"), std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  try {
    const Json kept = Json::parse(text);
    if (kept.at("schema") != kSchema || kept.at("key") != key) return std::nullopt;
    Tuning tuning;
    tuning.remembered = true;
    tuning.stride = kept.at("stride").get<std::int64_t>();
    tuning.chosen = kept.at("chosen").get<ScheduleWords>();
    for (const Json& one : kept.at("timed")) {
      tuning.timed.push_back({one.at("schedule").get<ScheduleWords>(), one.at("ms").get<double>()});
    }
    return tuning;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string TunedSchedules::store(const std::string& key, const Tuning& tuning) const {
  if (folder_.empty()) return "there is no folder for it: neither MATCHA_CACHE_DIR, XDG_CACHE_HOME nor HOME names one";
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) return fmt::format("`{}` cannot be written; {}", folder_, failure.message());
  Json timed = Json::array();
  for (const Tuning::Timed& one : tuning.timed) timed.push_back({{"schedule", one.words}, {"ms", one.ms}});
  const Json kept = {{"schema", kSchema},       {"version", matcha_version()}, {"key", key},
                     {"stride", tuning.stride}, {"chosen", tuning.chosen},     {"timed", timed}};
  const runtime::Status written = write_text_file((fs::path(folder_) / (key + ".json")).string(), kept.dump(1) + "\n");
  return written ? std::string() : written.error().message;
}

}  // namespace matcha::session
