#include "incremental/update_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <list>
#include <optional>
#include <utility>

#include "incremental/rebuild.h"
#include "incremental/update_cells.h"
#include "runtime/graph/labels.h"

namespace matcha::session::stream {

namespace {

/// Codes of new words count up from here; special codes of rebuild.h are below.
constexpr std::int64_t kFirstNew = runtime::kNoLabel + 16;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The first cells of a line.
struct Cells {
  static constexpr std::size_t kMost = 5;
  std::array<std::string_view, kMost> cells;
  std::size_t count = 0;
  std::string_view fault;  ///< See `CellWalk::fault`.

  Cells(std::string_view line, char separator) {
    CellWalk walk(line, separator);
    for (std::string_view cell; count < kMost && walk.next(cell); ++count) {
      cells[count] = walk.is_copy() ? std::string_view(copies_.emplace_back(cell)) : cell;
    }
    fault = walk.fault();
  }

 private:
  std::list<std::string> copies_;
};

/// The first cell of a line of updates: `+` of `+ 1 2`.
std::string_view mark_of(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  return line.substr(begin, line.find_first_of(" \t,;|\r", begin) - begin);
}

/// The separator of `+;1;2`, and of `+\tCarol Ann\tBob`; 0: blanks, tabs and commas.
char separator_behind(std::string_view mark, std::string_view line) {
  const std::size_t at = static_cast<std::size_t>(mark.data() - line.data()) + mark.size();
  if (mark.empty() || at >= line.size() || line[at] == ' ' || line[at] == '\r') return 0;
  const bool is_sure = line[at] == ';' || line[at] == '|' || line.find(line[at], at + 1) != std::string_view::npos;
  return is_sure ? line[at] : 0;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "`";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7F ? fmt::format("\\x{:02X}", byte) : std::string(1, c);
  }
  return out + (text.size() > kMost ? "…`" : "`");
}

}  // namespace

bool read_number(std::string_view cell, const char* what, std::int64_t& id, std::string& error) {
  std::optional<std::int64_t> number = number_of(cell);
  const std::size_t point = number ? std::string_view::npos : cell.find('.');
  if (point != std::string_view::npos && cell.find_first_not_of('0', point + 1) == std::string_view::npos) {
    number = number_of(cell.substr(0, point));
  }
  if (!number) {
    error = fmt::format("{} is no {}: a whole number of 64 bits", shown(cell), what);
    return false;
  }
  id = *number;
  return true;
}

namespace {

/// Also `+1`, which no file of edges takes as a name beside numbers.
bool is_like_number(std::string_view cell) {
  return runtime::is_number_like(cell.substr(cell.starts_with('+') ? 1 : 0));
}

/// The ids of the first update are text if one of them is not a number.
void decide_ids(std::initializer_list<std::string_view> ids, LineRules& rules) {
  rules.first_decides = false;
  rules.decided = true;
  if (rules.maybe_names == nullptr && !std::all_of(ids.begin(), ids.end(), is_like_number)) {
    rules.maybe_names = std::make_shared<VertexNames>();
  }
}

bool take_id(std::string_view cell, const LineRules& rules, std::int64_t& id, std::string& error) {
  if (rules.maybe_names == nullptr) {
    const bool taken = read_number(cell, "id", id, error);
    if (!taken && rules.decided)
      error +=
          std::string(kHintBreak) + "ids are numbers, as the first of them is; `--ids text` takes all of them as text";
    return taken;
  }
  if (cell.empty()) {
    error = "an id is empty";
    return false;
  }
  if (runtime::has_control_bytes(cell)) {
    error = fmt::format("{}: ids have no control characters", shown(cell));
    return false;
  }
  id = rules.maybe_names->number(cell);
  return true;
}

/// The three relevant cells of a timed line.
struct TimedCells {
  std::array<std::string_view, 3> cells{};
  unsigned count = 0, found = 0;
  std::string_view fault;  ///< See `CellWalk::fault`.

  TimedCells(std::string_view line, const TimedColumns& columns, bool keeps_end) {
    CellWalk walk(line, columns.separator, keeps_end);
    for (std::string_view cell; walk.next(cell); ++count) {
      for (std::size_t role = 0; role < cells.size(); ++role) {
        if (columns.index[role] != count) continue;
        cells[role] = walk.is_copy() ? std::string_view(copies_.emplace_back(cell)) : cell;
        ++found;
      }
    }
    fault = walk.fault();
  }

 private:
  std::list<std::string> copies_;
};

LineKind read_temporal(std::string_view line, LineRules& rules, Update& update, std::string& error) {
  const TimedColumns& columns = rules.columns;
  const TimedCells cells(line, columns, rules.maybe_rows != nullptr);
  if (cells.count == 0) return LineKind::Blank;
  error = cells.fault;
  if (!error.empty()) return LineKind::Error;
  if (cells.found < cells.cells.size()) {
    error = columns.count == 3 || columns.count == 0
                ? "a line has two ids and a time: `u v t`"
                : fmt::format("the line has {} columns, and the heading {}", cells.count, columns.count);
    return LineKind::Error;
  }
  if (columns.count != 0 && cells.count != columns.count) {
    error = columns.has_heading ? fmt::format("the line has {} columns, and the heading {}", cells.count, columns.count)
                                : fmt::format(
                                      "the line has {} columns: which of them is the time?\n"
                                      "  hint: `--updates FILE:0,1,{}` takes the last one, `FILE:0,1,2` the third one",
                                      cells.count, cells.count - 1);
    return LineKind::Error;
  }
  update.kind = UpdateKind::InsertEdge;
  const auto& [source, target, time] = cells.cells;
  const bool has_time = rules.maybe_rows != nullptr ? rules.maybe_rows->read_time(time, update.time, error)
                                                    : read_number(time, "time", update.time, error);
  if (!has_time) return LineKind::Error;
  if (rules.first_decides) decide_ids({source, target}, rules);
  const bool right = take_id(source, rules, update.u, error) && take_id(target, rules, update.v, error);
  return right ? LineKind::Update : LineKind::Error;
}

/// Reads `+ u v` or `- u v` with ints of at most 18 digits between blanks, the form of most lines. False: the line may
/// have another form.
bool read_plain(std::string_view line, Update& update) {
  const char* at = line.data();
  const char* const end = at + line.size();
  if (at == end || (*at != '+' && *at != '-')) return false;
  const bool inserts = *at++ == '+';
  const auto take = [&](std::int64_t& id) {
    constexpr std::ptrdiff_t kMostDigits = 18;
    if (at == end || *at != ' ') return false;
    while (at != end && *at == ' ') ++at;
    const bool is_negative = at != end && *at == '-';
    if (is_negative) ++at;
    const char* const first = at;
    std::int64_t value = 0;
    for (; at != end && *at >= '0' && *at <= '9' && at - first < kMostDigits; ++at) value = 10 * value + (*at - '0');
    id = is_negative ? -value : value;
    return at != first;
  };
  update = Update();
  update.kind = inserts ? UpdateKind::InsertEdge : UpdateKind::DeleteEdge;
  if (!take(update.u) || !take(update.v)) return false;
  if (at != end && *at == '\r') ++at;
  return at == end;
}

}  // namespace

bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%') || line.starts_with("//");
}

std::int64_t LabelCodes::code(std::string_view label) {
  if (const std::optional<std::int64_t> number = number_of(label)) return *number;
  if (const std::optional<std::int64_t> known = dictionary_->code(label)) return *known;
  const auto [found, is_new] =
      codes_.try_emplace(std::string(label), kFirstNew + static_cast<std::int64_t>(new_words_.size()));
  if (is_new) new_words_.push_back(found->first);
  return found->second;
}

std::shared_ptr<const runtime::LabelDictionary> LabelCodes::extended() const {
  std::vector<std::string> words = dictionary_->words();
  words.insert(words.end(), new_words_.begin(), new_words_.end());
  return std::make_shared<const runtime::LabelDictionary>(std::move(words));
}

std::int64_t LabelCodes::recoded(std::int64_t label, const runtime::LabelDictionary& to) const {
  const std::uint64_t place = static_cast<std::uint64_t>(label) - static_cast<std::uint64_t>(kFirstNew);
  if (place < new_words_.size()) return *to.code(new_words_[place]);
  return recode(label, *dictionary_, to).value_or(label);
}

void LabelCodes::take(std::shared_ptr<const runtime::LabelDictionary> dictionary, std::vector<Update>& updates) {
  for (Update& update : updates) {
    if (update.has_label) update.label = recoded(update.label, *dictionary);
  }
  dictionary_ = std::move(dictionary);
  new_words_.clear();
  codes_.clear();
}

LineKind read_update(std::string_view line, LineRules& rules, LabelCodes& codes, Update& update, std::string& error) {
  const bool is_plain = !rules.temporal && !rules.edge_labels && !rules.first_decides && rules.maybe_names == nullptr;
  if (is_plain && read_plain(line, update)) return LineKind::Update;
  const std::string_view mark = mark_of(line);
  const bool has_comments = !rules.temporal || !rules.columns.has_heading;
  if (has_comments && is_comment(mark)) return LineKind::Comment;
  update = Update();
  if (rules.temporal) return read_temporal(line, rules, update, error);
  const Cells cells(line, separator_behind(mark, line));
  if (cells.count == 0) return LineKind::Blank;
  error = cells.fault;
  if (!error.empty()) return LineKind::Error;
  const std::string_view first = cells.cells[0];
  const bool inserts = first == "+" || first == "e", deletes = first == "-" || first == "-e";
  const bool of_vertex = first == "v" || first == "-v";
  if (!inserts && !deletes && !of_vertex) {
    error = fmt::format("{} begins no update: `+`, `-`, `e`, `-e`, `v` or `-v` does", shown(first));
    return LineKind::Error;
  }
  update.kind = inserts        ? UpdateKind::InsertEdge
                : deletes      ? UpdateKind::DeleteEdge
                : first == "v" ? UpdateKind::SetVertex
                               : UpdateKind::DeleteVertex;
  const std::size_t ids = of_vertex ? 1 : 2, most = update.kind == UpdateKind::DeleteVertex ? 2 : ids + 2;
  if (cells.count < ids + 1 || cells.count > most) {
    error = fmt::format("{} takes {}, and the line has {} of them", shown(first),
                        update.kind == UpdateKind::DeleteVertex ? "an id"
                        : of_vertex                             ? "an id and maybe a label"
                                                                : "two ids and maybe a label",
                        cells.count == Cells::kMost ? "more" : std::to_string(cells.count - 1));
    return LineKind::Error;
  }
  if (rules.first_decides) decide_ids({cells.cells[1], cells.cells[of_vertex ? 1 : 2]}, rules);
  if (!take_id(cells.cells[1], rules, update.u, error)) return LineKind::Error;
  if (!of_vertex && !take_id(cells.cells[2], rules, update.v, error)) return LineKind::Error;
  const bool is_kept = of_vertex || rules.edge_labels;
  if (cells.count == most && update.kind != UpdateKind::DeleteVertex && is_kept) {
    const std::string_view label = cells.cells[most - 1];
    const std::optional<std::int64_t> number = number_of(label);
    if (number ? *number < 0 : runtime::is_number_like(label)) {
      error = fmt::format("{}: labels are words, or whole numbers from 0", shown(label));
      return LineKind::Error;
    }
    update.label = codes.code(label);
    update.has_label = true;
  } else if (inserts && rules.edge_labels) {
    error = "an inserted edge needs a label: the program reads labels of edges";
    return LineKind::Error;
  }
  return LineKind::Update;
}

}  // namespace matcha::session::stream
