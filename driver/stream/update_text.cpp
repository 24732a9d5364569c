#include "driver/stream/update_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "driver/stream/rebuild.h"

namespace matcha::driver::stream {

namespace {

/// Codes of new words go up from here; rebuild.h's other codes of nothing lie below.
constexpr std::int64_t kFirstNew = runtime::kNoLabel + 16;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The cells of a line, as many as are looked at.
struct Cells {
  static constexpr std::size_t kMost = 5;
  std::array<std::string_view, kMost> cells;
  std::size_t count = 0;

  explicit Cells(std::string_view line) {
    std::size_t at = 0;
    for (;;) {
      while (at < line.size() && is_between(line[at])) ++at;
      if (at == line.size() || count == kMost) return;
      const std::size_t begin = at;
      while (at < line.size() && !is_between(line[at])) ++at;
      cells[count++] = line.substr(begin, at - begin);
    }
  }

 private:
  static bool is_between(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }
};

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "`";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7F ? fmt::format("\\x{:02X}", byte) : std::string(1, c);
  }
  return out + (text.size() > kMost ? "…`" : "`");
}

bool take_number(std::string_view cell, const char* what, std::int64_t& id, std::string& error) {
  const std::optional<std::int64_t> number = number_of(cell);
  if (!number) {
    error = fmt::format("{} is no {}: a whole number of 64 bits", shown(cell), what);
    return false;
  }
  id = *number;
  return true;
}

bool take_id(std::string_view cell, const LineRules& rules, std::int64_t& id, std::string& error) {
  if (rules.maybe_names == nullptr) return take_number(cell, "id", id, error);
  id = rules.maybe_names->number(cell);
  return true;
}

LineKind read_temporal(const Cells& cells, const LineRules& rules, Update& update, std::string& error) {
  if (cells.count < 3) {
    error = "a line has two ids and a time: `u v t`";
    return LineKind::Error;
  }
  update.kind = UpdateKind::InsertEdge;
  const bool right = take_number(cells.cells[2], "time", update.time, error) &&
                     take_id(cells.cells[0], rules, update.u, error) && take_id(cells.cells[1], rules, update.v, error);
  return right ? LineKind::Update : LineKind::Error;
}

}  // namespace

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

LineKind read_update(std::string_view line, const LineRules& rules, LabelCodes& codes, Update& update,
                     std::string& error) {
  const Cells cells(line);
  if (cells.count == 0) return LineKind::Blank;
  const std::string_view first = cells.cells[0];
  if (first.front() == '#' || first.front() == '%' || first.starts_with("//")) return LineKind::Comment;
  update = Update();
  if (rules.temporal) return read_temporal(cells, rules, update, error);
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
  if (!take_id(cells.cells[1], rules, update.u, error)) return LineKind::Error;
  if (!of_vertex && !take_id(cells.cells[2], rules, update.v, error)) return LineKind::Error;
  const bool is_kept = of_vertex || rules.edge_labels;
  if (cells.count == most && update.kind != UpdateKind::DeleteVertex && is_kept) {
    update.label = codes.code(cells.cells[most - 1]);
    update.has_label = true;
    if (update.label < 0 && number_of(cells.cells[most - 1])) {
      error = fmt::format("{}: labels are words, or numbers from 0", shown(cells.cells[most - 1]));
      return LineKind::Error;
    }
  } else if (inserts && rules.edge_labels) {
    error = "an edge that comes needs a label: the program reads labels of edges";
    return LineKind::Error;
  }
  return LineKind::Update;
}

}  // namespace matcha::driver::stream
