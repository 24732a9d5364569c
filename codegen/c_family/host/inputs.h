// Lists and scalars of a program that was compiled ahead of time: text files of columns, and `--param`.
#pragma once

#include "codegen/c_family/host/slices.h"

namespace matcha_program {

/// The columns of a text file, one row a line: numbers with blanks, tabs or commas between them. Lines that begin with
/// `#`, `%` or `//` are comments. Floats are kept as their bits.
class ColumnReader {
 public:
  /// `input` is FILE or FILE:COLUMNS; without columns the first ones are read.
  ColumnReader(const std::string& input, const std::string& kinds) : path_(input), kinds_(kinds) {
    std::size_t colon = input.rfind(':');
    bool columns = colon != std::string::npos && input.find_first_not_of("0123456789,", colon + 1) == std::string::npos;
    for (u64 i = 0; i < kinds.size(); ++i) picked_.push_back(i);
    if (!columns || access(input.c_str(), F_OK) == 0) return;
    path_ = input.substr(0, colon);
    picked_.clear();
    for (const char* at = input.c_str() + colon; *at != '\0'; at += *at == '\0' ? 0 : std::strspn(at, "0123456789")) {
      picked_.push_back(std::strtoull(++at, nullptr, 10));
    }
    if (picked_.size() != kinds.size()) {
      throw Failure{
          2, input + ": " + std::to_string(picked_.size()) + " columns for a list of " + std::to_string(kinds.size())};
    }
  }

  std::vector<std::vector<i64>> read() {
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path_.c_str(), "r"), std::fclose);
    if (file == nullptr) throw Failure{3, path_ + ": " + std::strerror(errno)};
    std::vector<std::vector<i64>> columns(kinds_.size());
    char* line = nullptr;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, file.get())) >= 0) {
      ++line_;
      if (line_ == 1 && length > 1 && (u8(line[0]) == 0x1f || u8(line[0]) == 0x28))
        throw Failure{3, path_ + ": a packed file; unpack it first"};
      row(line, columns);
    }
    std::free(line);
    return columns;
  }

 private:
  void row(const char* line, std::vector<std::vector<i64>>& columns) const {
    constexpr const char* kBetween = " \t,\r\n";
    std::vector<const char*> fields;
    for (const char* at = line + std::strspn(line, kBetween); *at != '\0'; at += std::strspn(at, kBetween)) {
      fields.push_back(at);
      at += std::strcspn(at, kBetween);
    }
    if (fields.empty() || *fields[0] == '#' || *fields[0] == '%' || std::strncmp(fields[0], "//", 2) == 0) return;
    for (u64 i = 0; i < kinds_.size(); ++i) {
      if (picked_[i] >= fields.size()) throw wrong("has no column " + std::to_string(picked_[i]));
      const char* begin = fields[picked_[i]];
      const char* end = begin + std::strcspn(begin, kBetween);
      i64 value = 0;
      f64 real = 0;
      std::from_chars_result got =
          kinds_[i] == 'f' ? std::from_chars(begin, end, real) : std::from_chars(begin, end, value);
      if (got.ec != std::errc() || got.ptr != end) throw wrong("`" + std::string(begin, end) + "` is no number");
      columns[i].push_back(kinds_[i] == 'f' ? __builtin_bit_cast(i64, real) : value);
    }
  }

  Failure wrong(const std::string& what) const { return {3, path_ + ":" + std::to_string(line_) + ": " + what}; }

  std::string path_;
  std::string kinds_;
  std::vector<u64> picked_;
  u64 line_ = 0;
};

inline void Host::bind(const std::string& graph, const std::vector<ListParameter>& lists,
                       const std::vector<Assumed>& assumed) {
  const auto given = [&](const ListParameter& list) { return settings_.inputs.count(list.name) != 0; };
  std::string edges;
  for (const ListParameter& list : lists) {
    if (list.columns == "vv" && !given(list)) edges += (edges.empty() ? "" : " ") + list.name;
  }
  bool has_file = !settings_.graph.empty();
  bool one = !edges.empty() && edges.find(' ') == std::string::npos;
  if (graph.empty() && has_file && !one) throw Failure{2, "no parameter of the program takes GRAPH alone; use --in"};
  if (!graph.empty() && !has_file) throw Failure{2, "GRAPH.mtg, for the parameter `" + graph + "`, is missing"};
  for (const auto& [name, file] : settings_.inputs) {
    bool known = false;
    for (const ListParameter& list : lists)
      known = known || (list.name == name && list.columns.find('b') == std::string::npos);
    if (!known) throw Failure{2, "the program has no list `" + name + "` to read from a file"};
  }
  if (has_file) map_graph(graph, assumed);
  std::map<std::string, std::vector<std::vector<i64>>> read;
  for (const ListParameter& list : lists) {
    if (given(list)) {
      read[list.name] = ColumnReader(settings_.inputs[list.name], list.columns).read();
    } else if (graph.empty() && has_file && list.columns == "vv") {
      for (const ListParameter& other : lists) {
        if (!given(other) || other.columns == "vv") continue;
        throw Failure{2, "`" + list.name + "` would be the sorted edges of a graph, and `" + other.name +
                             "` has a row for each line of its file; give the edges as a list, too: --in " + list.name +
                             "=FILE:0,1"};
      }
      lists_[list.name] = {graph_.arc_count, {graph_.sources, graph_.arcs}};
    } else {
      throw Failure{2, "the list `" + list.name + "` is missing: --in " + list.name + "=FILE"};
    }
  }
  rank_ids(read, lists);
}

inline u32 Host::rank_of(i64 id, const std::string& list) const {
  u64 rank = u64(id);
  if (graph_.original_ids != nullptr) rank = position(List<i64>{graph_.original_ids, graph_.universe}, id);
  bool found = rank < graph_.universe && (graph_.original_ids == nullptr || graph_.original_ids[rank] == id);
  if (!found) throw Failure{3, "list `" + list + "`: " + std::to_string(id) + " is no vertex of the graph"};
  return u32(rank);
}

/// Without a graph file the vertices of the lists are all there are.
inline void Host::rank_ids(std::map<std::string, std::vector<std::vector<i64>>>& read,
                           const std::vector<ListParameter>& lists) {
  const auto each = [&](auto&& visit) {
    for (const ListParameter& list : lists) {
      for (u64 c = 0; read.count(list.name) != 0 && c < list.columns.size(); ++c) visit(list, c, read[list.name][c]);
    }
  };
  if (settings_.graph.empty()) {
    std::vector<i64> ids;
    each([&](const ListParameter& list, u64 c, const std::vector<i64>& column) {
      if (list.columns[c] == 'v') ids.insert(ids.end(), column.begin(), column.end());
    });
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    graph_.universe = graph_.vertex_count = facts_.vertices = ids.size();
    if (!ids.empty() && (ids.front() != 0 || u64(ids.back()) != ids.size() - 1))
      graph_.original_ids = keep(std::move(ids));
  }
  each([&](const ListParameter& list, u64 c, std::vector<i64>& column) {
    InputList& made = lists_[list.name];
    made.size = column.size();
    if (list.columns[c] != 'v') {
      made.columns.push_back(keep(std::move(column)));
      return;
    }
    std::vector<u32> ranks;
    ranks.reserve(column.size());
    for (i64 id : column) ranks.push_back(rank_of(id, list.name));
    made.columns.push_back(keep(std::move(ranks)));
  });
}

template <typename T>
T Host::parameter(const std::string& name) {
  known_parameters_.push_back(name);
  const auto found = settings_.parameters.find(name);
  if (found == settings_.parameters.end()) throw Failure{2, "the parameter is missing: --param " + name + "=VALUE"};
  const std::string& text = found->second;
  T value{};
  if constexpr (sizeof(T) == 1) {
    value = text == "true" || text == "True" || text == "1";
    if (value || text == "false" || text == "False" || text == "0") return value;
  } else {
    const char* end = text.data() + text.size();
    std::from_chars_result got = std::from_chars(text.data(), end, value);
    if (got.ec == std::errc() && got.ptr == end) return value;
  }
  throw Failure{2, "parameter " + name + ": `" + text + "` does not fit its type"};
}

template <typename T>
T Host::parameter(const std::string& name, T without) {
  if (settings_.parameters.count(name) != 0) return parameter<T>(name);
  known_parameters_.push_back(name);
  return without;
}

inline void Host::end_parameters() const {
  for (const auto& [name, value] : settings_.parameters) {
    if (std::find(known_parameters_.begin(), known_parameters_.end(), name) == known_parameters_.end())
      throw Failure{2, "the program has no parameter `" + name + "`"};
  }
}

}  // namespace matcha_program
