#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "session/explanation.h"
#include "session/values.h"

namespace matcha::session {

namespace {

using Json = nlohmann::ordered_json;

/// Sums of 128 bits as text: as numbers they would lose digits in JSON readers.
std::string text_of(__int128 value) {
  std::string text;
  append_int(text, value);
  return text;
}

void add_steps(const std::vector<Step>& steps, std::size_t depth, Json& rows) {
  for (const Step& step : steps) {
    Json row = {{"depth", depth}, {"text", step.text}, {"loop", step.kind == StepKind::Loop}};
    if (step.expected) row["estimated"] = *step.expected;
    if (step.actual) {
      row["times"] = text_of(step.actual->times);
      row["items"] = text_of(step.actual->items);
      if (step.kind == StepKind::Loop) row["kept"] = text_of(step.actual->kept);
    }
    rows.push_back(std::move(row));
    add_steps(step.steps, depth + 1, rows);
  }
}

Json steps_json(const std::vector<Step>& steps) {
  Json rows = Json::array();
  add_steps(steps, 0, rows);
  return rows;
}

Json lines_json(const std::vector<std::string>& lines) {
  Json rows = Json::array();
  for (const std::string& line : lines) rows.push_back({{"depth", 0}, {"text", line}, {"loop", false}});
  return rows;
}

Json plans_json(const std::vector<pattern::Choice>& choices) {
  Json plans = Json::array();
  for (const pattern::Choice& choice : choices) {
    plans.push_back({{"plan", choice.plan}, {"algorithm", to_string(choice.algorithm)}, {"ms", choice.cost / 1e6}});
  }
  return plans;
}

Json passes_json(const std::vector<passes::PassRun>& runs) {
  Json passes = Json::array();
  for (const passes::PassRun& run : runs) {
    Json facts = Json::object();
    for (const auto& [name, number] : run.statistics) facts[std::string(name)] = number;
    passes.push_back(
        {{"pass", run.text}, {"changed", run.changed}, {"ms", rounded(run.milliseconds)}, {"facts", std::move(facts)}});
  }
  return passes;
}

Json memory_json(const std::vector<PlannedBuffer>& buffers) {
  Json memory = Json::array();
  for (const PlannedBuffer& buffer : buffers) {
    Json row = {{"buffer", buffer.name}, {"capacity", buffer.capacity}, {"item_bytes", buffer.item_bytes}};
    if (buffer.items) row["items"] = *buffer.items;
    memory.push_back(std::move(row));
  }
  return memory;
}

}  // namespace

Json plan_json(const Explanation& all) {
  Json json = {{"schema", "matcha.plan/1"}};
  if (!all.semantics.empty()) {
    json["semantics"] = all.semantics;
    json["meaning"] = all.meaning;
    json["plans"] = plans_json(all.choices);
  }
  json["engine"] = all.engine;
  json["engines"] = all.decision.is_null() ? Json::array() : all.decision;
  json["signature"] = all.signature;
  json["program"] = all.text;
  if (all.ran && all.run_ms > 0) {
    json["ms"] = rounded(all.run_ms);
    json["simd"] = all.simd;
    json["answer"] = all.rows.empty() ? fmt::format("{}", fmt::join(all.values, ", ")) : all.rows;
  }
  json["complete"] = all.ran && all.stopped.empty();
  json["steps"] = all.engine == "program" ? steps_json(all.nest) : lines_json(all.method);
  json["passes"] = passes_json(all.passes);
  json["memory"] = memory_json(all.memory);
  if (!all.stream_decision.is_null()) json["stream"] = {{"engines", all.stream_decision}};
  return json;
}

}  // namespace matcha::session
