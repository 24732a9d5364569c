#include <cstdio>
#include <string>

#include "runtime/graph/inputs.h"

namespace matcha::runtime {

namespace {

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string count(std::uint64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + " " + std::string(number == 1 ? one : many);
}

std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f s", value);
  return text;
}

}  // namespace

std::string LoadReport::render() const {
  std::string text = path + ": " + (table.empty() ? std::string(format_name(format)) : table);
  if (compression != Compression::None) text += " (" + std::string(compression_name(compression)) + ")";
  if (!table.empty()) text += ", " + count(lines, "line", "lines");
  text += directed ? ", directed" : ", undirected";
  if (parallel) text += temporal ? " with repeats" : " with parallel edges";
  text += ": " + count(vertices, "vertex", "vertices");
  if (isolated != 0) text += " (" + grouped(isolated) + " isolated)";
  text += ", " + (directed ? count(edges, "arc", "arcs") : count(edges, "edge", "edges"));
  text += ", max degree " + grouped(max_degree);
  if (labels != 0) text += ", " + count(labels, "label", "labels");
  if (edge_info) text += ", edge information";
  if (unlabelled != 0) text += " (" + grouped(unlabelled) + " without)";
  if (ids != IdKind::Int && vertices != 0) {
    text += ids == IdKind::Text ? ", ids are text" : ", ids";
    text += " " + first_id + "…" + last_id;
  }
  if (ids == IdKind::Int && !identity_ids && vertices != 0)
    text += ", ids " + std::to_string(min_id) + "…" + std::to_string(max_id);
  std::string dropped;
  if (loops != 0) dropped += count(loops, "loop", "loops");
  if (duplicates != 0) {
    dropped += (dropped.empty() ? "" : ", ") + count(duplicates, "repeated edge", "repeated edges");
  }
  if (!dropped.empty()) text += "; dropped " + dropped;
  if (comments != 0) text += "; skipped " + count(comments, "comment line", "comment lines") + " between edges";
  if (leading_zeros) text += "; ids with leading zeros are numbers (`--ids text` keeps the zeros)";
  if (reversed != 0) {
    text += "; ";
    text += reversed == edges ? "every edge" : count(reversed, "edge", "edges");
    text += " given in both directions";
  }
  if (!note.empty()) text += "; " + note;
  return text + "; read " + seconds(read_seconds) + ", built " + seconds(build_seconds);
}

}  // namespace matcha::runtime
