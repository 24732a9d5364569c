#include "tools/explanation_json.h"

#include "session/plan_json.h"
#include "session/values.h"

namespace matcha::tools {

std::string explanation_json(const Explanation& all) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "matcha.plan/1"}};
  const bool of_pattern = !all.semantics.empty();
  if (of_pattern) {
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
    std::string counts = all.answer;
    for (const std::string& count : all.count_names.empty() ? std::vector<std::string>() : all.counts) {
      std::string digits = count;
      std::erase(digits, ',');
      counts += (counts.empty() ? "" : ", ") + digits;
    }
    json["answer"] = counts;
  }
  json["complete"] = all.ran && all.stopped.empty();
  json["steps"] = all.engine == "program" ? steps_json(all.nest) : lines_json(all.method);
  json["passes"] = passes_json(all.passes);
  json["memory"] = memory_json(all.memory);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace matcha::tools
