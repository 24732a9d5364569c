#include "server/protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "frontend/frontend.h"
#include "ir/support/diagnostics.h"
#include "session/message_log.h"
#include "session/options.h"

namespace matcha::server {

namespace {

bool set_text(std::string& text, const Json& value) {
  if (!value.is_string()) return false;
  text = value.get<std::string>();
  return true;
}

bool set_flag(bool& flag, const Json& value) {
  if (!value.is_boolean()) return false;
  flag = value.get<bool>();
  return true;
}

bool set_params(ServeRequest& request, const Json& value) {
  if (!value.is_object()) return false;
  request.program.params.clear();
  for (const auto& [name, bound] : value.items()) {
    if (bound.is_structured() || name.find('=') != std::string::npos) return false;
    std::string text = bound.is_string() ? bound.get<std::string>() : bound.dump();
    // Of a query text is text, though it spells a number.
    if (bound.is_string() && request.program.pattern.query) text = fmt::format("'{}'", text);
    request.program.params.push_back(fmt::format("{}={}", name, text));
  }
  return true;
}

bool set_lists(ServeRequest& request, const Json& value) {
  if (!value.is_object() || !std::ranges::all_of(value, [](const Json& list) { return list.is_array(); })) return false;
  request.lists = value;
  return true;
}

/// The value of an option as text, if its type fits the option; nothing for others.
std::optional<std::string> text_of(const Option& option, const Json& value) {
  using Takes = Option::Takes;
  const auto fits = [&] {
    switch (option.takes) {
      case Takes::Flag: return value.is_boolean();
      case Takes::Number: return value.is_number_unsigned();
      case Takes::Seconds:
      case Takes::Mib: return value.is_number();
      case Takes::Word:
      case Takes::Devices: return value.is_string() || value.is_number_unsigned();
      case Takes::Bytes:
      case Takes::Time:
      case Takes::Wait:
      case Takes::Text: return value.is_string() || (value.is_number() && std::string_view(option.shown) == "PERCENT");
      case Takes::Object: return false;
    }
    return false;
  };
  if (!fits()) return std::nullopt;
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool set_option(const Option& option, const Json& value, ServeRequest& request) {
  if (option.takes == Option::Takes::Object) {
    return std::string_view(option.name) == "params" ? set_params(request, value) : set_lists(request, value);
  }
  if (option.repeats && value.is_array()) {
    return std::ranges::all_of(value, [&](const Json& one) { return set_option(option, one, request); });
  }
  const std::optional<std::string> text = text_of(option, value);
  if (!text || !option.take(targets_of(request), *text)) return false;
  if (option.step == Option::ReadBy::Run) return true;
  std::string& given = request.given[option.name];
  given = option.repeats ? given + '\n' + *text : *text;
  return true;
}

std::string hint_of(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : fmt::format("did you mean `{}`?", near);
}

bool read_options(const Json& options, ServeRequest& request, const JsonLog& log) {
  if (!options.is_object()) {
    log.error(Status::Usage, "`options` is no object");
    return false;
  }
  const auto take = [&](const std::string& name, const Json& value) {
    const Option* const option = find_option(name, Surface::Requests);
    if (option == nullptr) {
      log.error(Status::Usage, fmt::format("there is no option `{}`", name), hint_for_option(name, Surface::Requests));
      return false;
    }
    if (!is_taken(*option, Surface::Requests)) {
      log.error(Status::Usage, refusal(*option, name));
      return false;
    }
    if (!set_option(*option, value, request)) {
      const std::string text = value.is_string() ? value.get<std::string>() : dump_line(value);
      log.error(Status::Usage, fmt::format("option `{}` does not take `{}`", name, text.substr(0, 80)),
                option->hint_for(text));
      return false;
    }
    return true;
  };
  // Texts of parameters depend on another option: whether it is a query.
  constexpr const char* kLast = "params";
  for (const auto& [name, value] : options.items()) {
    if (name != kLast && !take(name, value)) return false;
  }
  const auto last = options.find(kLast);
  return last == options.end() || take(kLast, *last);
}

/// JSON that is parsed; `problem` gets the sentence about a fault beside its syntax.
Json parse_line(std::string_view line, std::string& problem) {
  // Values are copied and freed by functions that call themselves.
  constexpr int kDeepest = 64;
  // An object looks for each of its members one by one.
  constexpr std::size_t kMostMembers = 4096;
  std::size_t members = 0;
  std::vector<std::set<std::string>> keys;
  const auto look = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (depth > kDeepest) {
      problem = "the line has more than 64 brackets inside each other";
      return false;
    }
    if (event == Json::parse_event_t::key && ++members > kMostMembers) {
      problem = "the line has more than 4096 members of objects";
      return false;
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      problem = fmt::format("`{}` is there twice in one object", value.get<std::string>());
    }
    return true;
  };
  return Json::parse(line, look, false);
}

/// Whether it says that a text is no program, or no pattern: then it may be any file that is quoted.
bool is_of_text(DiagId id) {
  return (id >= DiagId::Encoding && id <= DiagId::TooLarge) ||
         (id >= DiagId::PatternSyntax && id <= DiagId::PatternPlan);
}

/// Takes the member that says which program, pattern or request is meant.
bool read_subject(const std::string& key, const Json& value, ServeRequest& request, const JsonLog& log) {
  if (key == "cancel") {
    request.kind = ServeRequest::Kind::Cancel;
    request.target = value;
    return true;
  }
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    log.error(Status::Usage, fmt::format("`{}` is no text", key));
    return false;
  }
  if (key == "file" && value == "-") {
    log.error(Status::Usage, "`-` is no file here: standard input has the requests");
    return false;
  }
  if (key == "file" && request.program.compile.no_files && request.folder.empty() &&
      !is_library(value.get_ref<const std::string&>())) {
    log.error(Status::Usage, "with `--no-files` a request names no file",
              "`program` has the text; `file` may be a module, such as `std.clique`");
    return false;
  }
  if (key == "query") request.program.pattern.query = true;
  std::string& text = key == "program" ? request.program.text
                      : key == "file"  ? request.file
                                       : request.program.pattern.text;
  return set_text(text, value);
}

/// Takes a member that is true or false.
bool read_flag(const std::string& key, const Json& value, ServeRequest& request, const JsonLog& log) {
  bool flag = false;
  if (!set_flag(flag, value)) {
    log.error(Status::Usage, fmt::format("`{}` is neither true nor false", key));
    return false;
  }
  if (key == "picture") request.picture = flag;
  if (flag && key != "picture" && request.kind == ServeRequest::Kind::Run) {
    request.kind = key == "check" ? ServeRequest::Kind::Check : ServeRequest::Kind::Explain;
  }
  return true;
}

}  // namespace

std::string_view word_of(Status status) {
  return status == Status::Interrupted || status == Status::Terminated ? "cancelled" : message_id(status);
}

bool is_library(const std::string& file) {
  const std::vector<std::string> known = frontend::stdlib_modules();
  return std::ranges::find(known, file) != known.end();
}

void JsonLog::say(const Message& message) const {
  if (message.kind != Message::Kind::Note) messages_.push_back(to_json(message));
}

void JsonLog::report(const Diagnostics& diagnostics, std::size_t from) const {
  Json all = Json::parse(render_json(diagnostics), nullptr, false);
  if (!all.is_array()) return;
  // Names of texts that are no files begin so.
  const auto is_file = [](const Json& name) { return name.is_string() && !name.get<std::string>().starts_with('<'); };
  std::set<std::string> unreadable;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json& file = all[i]["file"];
    if (is_file(file) && is_of_text(diagnostics.all()[i].id)) unreadable.insert(file.get<std::string>());
  }
  for (std::size_t i = from; i < all.size(); ++i) {
    Json& message = all[i];
    if (is_file(message["file"]) && unreadable.contains(message["file"].get<std::string>())) {
      message["message"] = "the file is no program or pattern, from here on";
      message["hint"] = "";
      message["notes"] = Json::array();
    }
    messages_.push_back(std::move(message));
  }
}

void JsonLog::write(std::string_view text) const { error(Status::Run, text); }

std::string ServeRequest::key() const {
  return dump_line(Json{program.text, program.compile.file, program.pattern.text, program.pattern.query, program.params,
                        lists, program.matches, given, graph});
}

session::OptionTargets targets_of(ServeRequest& request) {
  session::OptionTargets to = session::targets_of(request.program);
  to.limit = &request.limit;
  to.timeout = &request.timeout;
  to.threads = &request.threads;
  to.simd_tier = &request.simd_tier;
  return to;
}

bool read_request(std::string_view line, const ServeRequest& usual, ServeRequest& request, const JsonLog& log) {
  request = usual;
  std::string problem;
  const Json given = parse_line(line, problem);
  if (!given.is_object()) {
    log.error(Status::Usage, given.is_discarded() ? "the line is no JSON" : "the line is no JSON object",
              R"(such as {"id": 1, "pattern": "triangle"})");
    return false;
  }
  if (const auto id = given.find("id"); id != given.end()) {
    if (!id->is_string() && !id->is_number_integer() && !id->is_null()) {
      log.error(Status::Usage, "`id` is neither a text nor a whole number");
      return false;
    }
    request.id = *id;
  }
  if (!problem.empty()) {
    log.error(Status::Usage, problem);
    return false;
  }
  const std::vector<std::string> subjects = {"program", "file", "pattern", "query", "cancel"};
  std::size_t found = 0;
  for (const auto& [key, value] : given.items()) {
    if (key == "id" || key == "options") continue;
    if (key == "check" || key == "explain" || key == "picture") {
      if (!read_flag(key, value, request, log)) return false;
    } else if (key == "graph") {
      if (!set_text(request.graph, value)) {
        log.error(Status::Usage, "`graph` is no text");
        return false;
      }
    } else if (std::ranges::find(subjects, key) != subjects.end()) {
      ++found;
      if (!read_subject(key, value, request, log)) return false;
    } else {
      log.error(Status::Usage, fmt::format("a request has no `{}`", key),
                hint_of(key, {"id", "program", "file", "pattern", "query", "cancel", "check", "explain", "picture",
                              "graph", "options"}));
      return false;
    }
  }
  // The subject says how options are read.
  if (given.contains("options") && !read_options(given["options"], request, log)) return false;
  if (found == 1) return true;
  log.error(Status::Usage, "a request has one of `program`, `file`, `pattern`, `query` and `cancel`");
  return false;
}

AnswerLine::AnswerLine(const Json& id, Status status) : status_(status) {
  text_ = fmt::format(R"({{"id":{},"status":"{}","code":{})", dump_line(id), word_of(status),
                      exit_code(status == Status::Terminated ? Status::Interrupted : status));
}

void AnswerLine::add_raw(std::string_view key, std::string_view raw) { text_ += fmt::format(",\"{}\":{}", key, raw); }

void AnswerLine::add(std::string_view key, const Json& value) { add_raw(key, dump_line(value)); }

Answer AnswerLine::take() { return {status_, std::exchange(text_, {}) + "}\n"}; }

std::string dump_line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Answer error_answer(const Json& id, Status status, const JsonLog& log) {
  AnswerLine line(id, status);
  line.add("errors", log.messages());
  return line.take();
}

Answer usage_answer(const Json& id, std::string_view message, std::string_view hint) {
  const JsonLog log;
  log.error(Status::Usage, message, hint);
  return error_answer(id, Status::Usage, log);
}

Answer stopped_answer(const Json& id, Status why) {
  AnswerLine line(id, why);
  line.add("result", Json());
  line.add("complete", false);
  return line.take();
}

}  // namespace matcha::server
