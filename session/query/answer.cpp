#include "session/query/answer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "question/scan.h"
#include "session/query/row_text.h"

namespace matcha::session::statement {

namespace {

using Kind = Value::Kind;

/// A number, `true`, `false`, `null`, or text, which may stand in quotes. Nothing if the number is beyond 64 bits.
std::optional<query::Term> value_of(const std::string& given) {
  query::Term value;
  const char* const begin = given.data();
  const char* const end = begin + given.size();
  bool is_beyond = false;
  const auto reads = [&](auto& number) {
    const std::from_chars_result read = std::from_chars(begin, end, number);
    if (read.ptr == end && read.ec == std::errc::result_out_of_range) is_beyond = true;
    return read.ec == std::errc() && read.ptr == end;
  };
  // `inf` and `nan` are text.
  const std::size_t first = given.starts_with('-') ? 1 : 0;
  const bool is_number = given.size() > first && (pattern::is_digit(given[first]) || given[first] == '.');
  const bool is_quoted = given.size() >= 2 && given.front() == '\'' && given.back() == '\'';
  if (given == "null") return value;
  value.type.base = query::ValueType::Base::Scalar;
  value.kind = query::Term::Kind::Text;
  value.text = is_quoted ? given.substr(1, given.size() - 2) : given;
  if (given == "true" || given == "false") {
    value.kind = query::Term::Kind::Bool;
    value.integer = given == "true" ? 1 : 0;
  } else if (is_number && reads(value.integer)) {
    value.kind = query::Term::Kind::Int;
  } else if (is_number && !is_beyond && reads(value.number)) {
    value.kind = query::Term::Kind::Float;
  }
  return is_beyond ? std::nullopt : std::optional(std::move(value));
}

}  // namespace

Status bind_parameters(const query::Statement& statement, const SourceManager& sources,
                       const std::vector<std::string>& given, const Reporter& log, Pipeline::Parameters& bound) {
  for (const std::string& one : given) {
    const std::size_t sign = one.find('=');
    const std::string name = one.substr(0, sign);
    if (sign == std::string::npos || !statement.parameters.contains(name)) {
      return log.error(Status::Usage, fmt::format("`--param {}`: the query has no `${}`", one, name),
                       "parameters are given as NAME=VALUE");
    }
    if (bound.contains(name)) {
      return log.error(Status::Usage, fmt::format("`--param {}`: `${}` has a value already", one, name),
                       "leave one out");
    }
    std::optional<query::Term> value = value_of(one.substr(sign + 1));
    if (!value) {
      return log.error(Status::Usage, fmt::format("`--param {}` is beyond 64 bits", one),
                       "text that looks like a number stands in quotes: NAME=\"'12'\"");
    }
    bound[name] = std::move(*value);
  }
  for (const auto& [name, loc] : statement.parameters) {
    if (bound.contains(name)) continue;
    return log.error_at(Status::Usage, sources, loc, fmt::format("`${}` has no value", name),
                        fmt::format("`--param {}=VALUE` gives one", name));
  }
  return Status::Ok;
}

bool is_count(const query::Statement& statement) {
  const query::Projection& of = statement.parts.back().projection;
  return statement.others.empty() && of.columns.size() == 1 &&
         of.columns.front().term.kind == query::Term::Kind::Aggregate && of.columns.front().term.text == "count" &&
         of.aggregates.front().parts.empty() && of.skip == 0 && of.limit.value_or(1) != 0;
}

std::vector<std::string> names_of(const query::Statement& statement) {
  std::vector<std::string> names;
  for (const query::Projection::Column& column : statement.parts.back().projection.columns) {
    names.push_back(column.name);
  }
  return names;
}

Status run(const query::Statement& statement, const SourceManager& sources, const Pipeline::Parameters& parameters,
           Store& store, Progress& progress, const Pipeline::OnRow& on_row, const Reporter& log) {
  {
    Pipeline pipeline(statement, parameters, store, progress);
    pipeline.run(on_row);
  }
  if (const auto& failure = progress.failure) {
    return log.error_at(failure->status, sources, failure->loc, failure->message, failure->hint);
  }
  return progress.is_stopped ? Status::Interrupted : Status::Ok;
}

JsonRows::JsonRows(const query::Statement& statement, const Store& store, Form form)
    : columns_(statement.parts.back().projection.columns.size()),
      is_count_(is_count(statement)),
      loc_(statement.parts.back().projection.loc),
      store_(store),
      form_(form) {}

void JsonRows::append(std::string& out, const Value& value) const {
  const bool is_path = value.is(Kind::Path);
  if (form_ == Form::Plain) return append_cell(out, value, store_, Style::Json, ',');
  if (is_path || value.is(Kind::List)) {
    if (is_path) out += "{\"path\": ";
    out += '[';
    for (const Value& item : *value.items) {
      if (&item != value.items->data()) out += ", ";
      append(out, item);
    }
    out += ']';
    if (is_path) out += '}';
  } else if (value.is(Kind::Node)) {
    const std::uint32_t rank = store_.rank(static_cast<std::uint32_t>(value.integer));
    out += fmt::format("{{\"node\": {}}}", store_.table().universe->id(rank));
  } else if (value.is(Kind::Relationship)) {
    out += fmt::format("{{\"edge\": {}}}", value.integer);
  } else if (value.is(Kind::Float) && !std::isfinite(value.number)) {
    out += fmt::format("{{\"float\": \"{}\"}}", value.number);
  } else {
    append_cell(out, value, store_, Style::Json, ',');
  }
}

std::string JsonRows::line(const Value* row) const {
  const bool is_array = form_ == Form::Marked || columns_ != 1;
  std::string out;
  if (is_array) out += '[';
  for (std::size_t at = 0; at < columns_; ++at) {
    if (at != 0) out += ", ";
    append(out, row[at]);
  }
  if (is_array) out += ']';
  return out;
}

bool JsonRows::take(const Value* row, std::uint64_t weight, Progress& progress) {
  const std::string one = line(row);
  for (std::uint64_t time = 0; time < weight; ++time, ++count_) {
    if (progress.is_over() || !progress.keep(one.size() + 2, loc_)) return false;
    if (count_ != 0) text_ += ", ";
    text_ += one;
  }
  return true;
}

std::string JsonRows::text() const { return is_count_ && form_ == Form::Plain ? text_ : "[" + text_ + "]"; }

InMemory::InMemory(const ProgramRequest& request, const query::Statement& statement)
    : request_(request), statement_(statement) {
  sources_.add(request.pattern.name, request.pattern.text);
}

Status InMemory::check(const Reporter& log) {
  const std::pair<bool, const char*> refused[] = {{request_.device == "cuda", "the device `cuda`"},
                                                  {request_.backend != "llvm", "`backend`"},
                                                  {request_.tier != "auto", "`tier`"},
                                                  {request_.order != "auto", "`order`"},
                                                  {!request_.compile.entry.empty(), "`entry`"},
                                                  {!request_.pattern.induced.empty(), "`induced`"},
                                                  {request_.pattern.match != "iso", "`match`"},
                                                  {request_.pattern.embeddings, "`embeddings`"},
                                                  {request_.pattern.algorithm != "auto", "`algorithm`"},
                                                  {request_.pattern.plan != 1, "`plan`"},
                                                  {!request_.engine.empty(), "`engine`"},
                                                  {request_.interval.within.has_value(), "`within`"},
                                                  {!request_.pattern.per.empty(), "`per`"}};
  for (const auto& [is_given, what] : refused) {
    if (!is_given) continue;
    return log.error_at(Status::Usage, sources_, statement_.loc,
                        fmt::format("{} is not for a query that is more than one pattern", what),
                        "such a query is walked on a CPU, by one thread");
  }
  return bind_parameters(statement_, sources_, request_.params, log, parameters_);
}

}  // namespace matcha::session::statement
