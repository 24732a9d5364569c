#include "tools/serve_protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "frontend/frontend.h"
#include "ir/support/diagnostics.h"

namespace matcha::tools {

namespace {

/// The word of a status in answers.
std::string_view word_of(Status status) {
  return status == Status::Interrupted || status == Status::Terminated ? "cancelled" : message_id(status);
}

Json message_object(std::string_view severity, std::string_view id, std::string_view message, std::string_view hint) {
  return {{"file", ""}, {"line", 0},          {"column", 0},  {"length", 0},           {"severity", severity},
          {"id", id},   {"message", message}, {"hint", hint}, {"notes", Json::array()}};
}

/// An option of a request: takes a value, or says what it should be.
struct Option {
  const char* name;
  const char* takes;
  bool (*set)(ServeRequest& request, const Json& value);
};

bool set_text(std::string& text, const Json& value) {
  if (!value.is_string()) return false;
  text = value.get<std::string>();
  return true;
}

bool set_word(std::string& text, const Json& value, std::initializer_list<const char*> words) {
  const bool known = value.is_string() && std::ranges::any_of(words, [&](const char* word) { return value == word; });
  return known && set_text(text, value);
}

bool set_flag(bool& flag, const Json& value) {
  if (!value.is_boolean()) return false;
  flag = value.get<bool>();
  return true;
}

std::optional<std::uint64_t> whole(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  return std::nullopt;
}

bool set_params(ServeRequest& request, const Json& value) {
  if (!value.is_object()) return false;
  request.program.params.clear();
  for (const auto& [name, bound] : value.items()) {
    if (!bound.is_number() && !bound.is_boolean() && !bound.is_string()) return false;
    request.program.params.push_back(
        fmt::format("{}={}", name, bound.is_string() ? bound.get<std::string>() : bound.dump()));
  }
  return true;
}

bool set_lists(ServeRequest& request, const Json& value) {
  if (!value.is_object() || !std::ranges::all_of(value, [](const Json& list) { return list.is_array(); })) return false;
  request.lists = value;
  return true;
}

bool set_plan(ServeRequest& request, const Json& value) {
  const std::optional<std::uint64_t> plan = whole(value);
  if (plan) request.program.pattern.plan = *plan;
  return plan && *plan != 0;
}

bool set_limit(ServeRequest& request, const Json& value) {
  request.limit = whole(value);
  return request.limit.has_value();
}

bool set_threads(ServeRequest& request, const Json& value) {
  const std::optional<std::uint64_t> threads = whole(value);
  if (!threads || *threads > std::numeric_limits<unsigned>::max()) return false;
  request.threads = static_cast<unsigned>(*threads);
  return true;
}

bool set_timeout(ServeRequest& request, const Json& value) {
  if (!value.is_number() || !(value.get<double>() >= 0)) return false;
  request.timeout = value.get<double>();
  return true;
}

constexpr Option kOptions[] = {
    {"entry", "the name of a function",
     [](ServeRequest& r, const Json& v) { return set_text(r.program.compile.entry, v); }},
    {"params", "an object of numbers, bools and texts", set_params},
    {"lists", "an object of arrays", set_lists},
    {"induced", "`vertex` or `edge`",
     [](ServeRequest& r, const Json& v) {
       return set_word(r.program.pattern.induced, v, {"vertex", "edge"});
     }},
    {"per", "`vertex` or `edge`",
     [](ServeRequest& r, const Json& v) {
       return set_word(r.program.pattern.per, v, {"vertex", "edge"});
     }},
    {"match", "`iso`, `homo` or `edge`",
     [](ServeRequest& r, const Json& v) {
       return set_word(r.program.pattern.match, v, {"iso", "homo", "edge"});
     }},
    {"algorithm", "`auto`, `extend`, `join` or `decompose`",
     [](ServeRequest& r, const Json& v) {
       return set_word(r.program.pattern.algorithm, v, {"auto", "extend", "join", "decompose"});
     }},
    {"plan", "a number from 1 on", set_plan},
    {"labels", "labels with commas between them",
     [](ServeRequest& r, const Json& v) { return set_text(r.program.pattern.labels, v); }},
    {"embeddings", "true or false",
     [](ServeRequest& r, const Json& v) { return set_flag(r.program.pattern.embeddings, v); }},
    {"unlabelled", "true or false",
     [](ServeRequest& r, const Json& v) { return set_flag(r.program.pattern.unlabelled, v); }},
    {"matches", "true or false", [](ServeRequest& r, const Json& v) { return set_flag(r.program.matches, v); }},
    {"limit", "a whole number", set_limit},
    {"threads", "a whole number", set_threads},
    {"timeout", "a number of seconds", set_timeout},
};

std::string hint_of(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : fmt::format("did you mean `{}`?", near);
}

bool read_options(const Json& options, ServeRequest& request, const JsonLog& log) {
  if (!options.is_object()) {
    log.error(Status::Usage, "`options` is no object");
    return false;
  }
  for (const auto& [name, value] : options.items()) {
    const Option* const option = std::ranges::find_if(kOptions, [&](const Option& one) { return name == one.name; });
    if (option == std::end(kOptions)) {
      std::vector<std::string> known;
      for (const Option& one : kOptions) known.emplace_back(one.name);
      log.error(Status::Usage, fmt::format("there is no option `{}`", name), hint_of(name, known));
      return false;
    }
    if (!option->set(request, value)) {
      log.error(Status::Usage, fmt::format("option `{}`: {} is no value of it", name, dump_line(value).substr(0, 80)),
                fmt::format("it takes {}", option->takes));
      return false;
    }
  }
  return true;
}

/// JSON that is parsed; `twice` becomes a key that an object has more than once.
Json parse_line(std::string_view line, std::string& twice) {
  std::vector<std::set<std::string>> keys;
  const auto look = [&](int, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) twice = value;
    return true;
  };
  return Json::parse(line, look, false);
}

/// Whether it says that a text is no program, or no pattern: then it may be any file that is quoted.
bool is_of_text(DiagId id) {
  return (id >= DiagId::Encoding && id <= DiagId::TooLarge) ||
         (id >= DiagId::PatternSyntax && id <= DiagId::PatternPlan);
}

/// Whether it is a module of the binary.
bool is_library(const std::string& name) {
  const std::vector<std::string> known = frontend::stdlib_modules();
  return std::ranges::find(known, name) != known.end();
}

/// Takes the member that says what is asked for.
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
  if (key == "file" && request.program.compile.no_files && !is_library(value.get_ref<const std::string&>())) {
    log.error(Status::Usage, "with `--no-files` a request names no file",
              "`program` has the text; `file` may be a module, such as `std.clique`");
    return false;
  }
  std::string& text = key == "program"   ? request.program.text
                      : key == "pattern" ? request.program.pattern.text
                                         : request.file;
  return set_text(text, value);
}

}  // namespace

void JsonLog::warning(std::string_view message, std::string_view hint) const {
  messages_.push_back(message_object("warning", "warning", message, hint));
}

Status JsonLog::error(Status status, std::string_view message, std::string_view hint) const {
  messages_.push_back(message_object("error", message_id(status), message, hint));
  return status;
}

Status JsonLog::error(const runtime::Error& failed) const {
  const Status status = status_of(failed.kind);
  error(status, failed.message, failed.hint);
  messages_.back()["file"] = failed.file;
  messages_.back()["line"] = failed.line;
  return status;
}

Status JsonLog::error_at(Status status, const SourceManager& sources, SourceLoc loc, std::string_view message,
                         std::string_view hint) const {
  error(status, message, hint);
  if (!loc.valid()) return status;
  Json& last = messages_.back();
  last["file"] = sources.name(loc.file);
  last["line"] = loc.line;
  last["column"] = loc.column;
  last["length"] = loc.length;
  return status;
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
  const driver::PatternOptions& pattern = program.pattern;
  return dump_line(Json{program.text, program.compile.file, program.compile.entry, program.params, lists,
                        program.matches, pattern.text, pattern.labels, pattern.per, pattern.induced, pattern.match,
                        pattern.algorithm, pattern.plan, pattern.embeddings, pattern.unlabelled});
}

bool read_request(std::string_view line, const ServeRequest& usual, ServeRequest& request, const JsonLog& log) {
  request = usual;
  std::string twice;
  const Json given = parse_line(line, twice);
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
  if (!twice.empty()) {
    log.error(Status::Usage, fmt::format("`{}` is there twice in one object", twice));
    return false;
  }
  const std::vector<std::string> subjects = {"program", "file", "pattern", "cancel"};
  std::size_t found = 0;
  for (const auto& [key, value] : given.items()) {
    if (key == "id") continue;
    if (key == "options") {
      if (!read_options(value, request, log)) return false;
    } else if (key == "check") {
      bool check = false;
      if (!set_flag(check, value)) {
        log.error(Status::Usage, "`check` is neither true nor false");
        return false;
      }
      if (check && request.kind == ServeRequest::Kind::Run) request.kind = ServeRequest::Kind::Check;
    } else if (std::ranges::find(subjects, key) != subjects.end()) {
      ++found;
      if (!read_subject(key, value, request, log)) return false;
    } else {
      log.error(Status::Usage, fmt::format("a request has no `{}`", key),
                hint_of(key, {"id", "program", "file", "pattern", "cancel", "check", "options"}));
      return false;
    }
  }
  if (found == 1) return true;
  log.error(Status::Usage, "a request has one of `program`, `file`, `pattern` and `cancel`");
  return false;
}

AnswerLine::AnswerLine(const Json& id, Status status) {
  text_ = fmt::format(R"({{"id":{},"status":"{}","code":{})", dump_line(id), word_of(status),
                      exit_code(status == Status::Terminated ? Status::Interrupted : status));
}

void AnswerLine::add_raw(std::string_view key, std::string_view raw) { text_ += fmt::format(",\"{}\":{}", key, raw); }

void AnswerLine::add(std::string_view key, const Json& value) { add_raw(key, dump_line(value)); }

std::string AnswerLine::take() { return std::exchange(text_, {}) + "}\n"; }

std::string dump_line(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string error_line(const Json& id, Status status, const JsonLog& log) {
  AnswerLine line(id, status);
  line.add("errors", log.messages());
  return line.take();
}

}  // namespace matcha::tools
