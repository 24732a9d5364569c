#include "codegen/c_family/worker/walks.h"

#include <unordered_map>

#include "ir/analysis/walk.h"

namespace matcha::codegen::worker {

std::vector<std::string> Walks::bind_lists(const ir::For& loop) {
  std::vector<std::string> bound;
  for (const ir::Expr* list : loop.lists) {
    if (list->kind == ir::Kind::Var) {
      bound.push_back(expressions_.text(list));
      continue;
    }
    bound.push_back(fmt::format("walked{}", text_.number()));
    out_.line(fmt::format("const auto {} = {};", bound.back(), expressions_.text(list)));
  }
  return bound;
}

void Walks::bind_items(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index,
                       std::string_view specifier) {
  std::size_t var = 0;
  // Loops over positions often have no use for the items.
  const std::unordered_map<const ir::Var*, int> uses = ir::count_uses(*loop.body);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (std::size_t column = 0; column < loop.lists[i]->type->columns.size(); ++column, ++var) {
      if (specifier.empty() && !uses.contains(loop.vars[var])) continue;
      out_.line(fmt::format("{}const {} {} = item<{}>({}, {});", specifier, Expressions::type(loop.vars[var]->type),
                            names_.of(loop.vars[var]), column, lists[i], index));
    }
  }
  if (loop.maybe_index != nullptr)
    out_.line(fmt::format("{}const i64 {} = i64({});", specifier, names_.of(loop.maybe_index), index));
}

void Walks::bind_position(const ir::For& s, const std::string& walk) {
  out_.line(fmt::format("const i64 {} = {}.position;", names_.of(s.vars[0]), walk));
  if (s.maybe_index != nullptr) out_.line(fmt::format("const i64 {} = {}.index;", names_.of(s.maybe_index), walk));
}

std::string Walks::length(const ir::For& loop, const std::vector<std::string>& lists) const {
  std::string size = fmt::format("{}.size", lists[0]);
  for (std::size_t i = 1; i < lists.size(); ++i) {
    size = fmt::format("w.same_length({}, {}.size, {}, {})", size, lists[i], loop.loc.line, loop.loc.column);
  }
  return size;
}

void Walks::begin_spine(const std::string& walk, const std::string& size) {
  out_.line(fmt::format("auto {} = w.walk(task, {}, {});", walk, place_.level(), size));
}

void Walks::leave_spine(std::string_view call, const std::string& walk, const std::string& index) {
  const int level = place_.level();
  out_.line(fmt::format("if (w.{}(task, {}, {}, {}, {}, {})) break;", call, level, walk, level > 0 ? "at0" : "0",
                        level > 1 ? "at1" : "0", index));
}

}  // namespace matcha::codegen::worker
