#include "codegen/c_family/worker/stores.h"

#include <algorithm>

#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "runtime/common/bits.h"

namespace matcha::codegen::worker {

Stores::Stores(Text& text, const ir::Region& region, const Place& place, const Lanes& lanes)
    : facts_(text.facts),
      names_(text.names),
      expressions_(text.expressions),
      out_(text.out),
      region_(region),
      place_(place),
      lanes_(lanes),
      uses_(ir::count_uses(*region.collect->body)) {}

void Stores::store(const ir::Store& s) {
  if (lanes_.are_private()) return keep(s);
  if (s.value->kind == ir::Kind::CommonNeighbors) return common(s);
  std::string into = room(s.var, s.buffer) + shared_rows(s);
  out_.line(fmt::format("const auto {} = {};", names_.of(s.var), expressions_.set_operation(s.value, into)));
}

std::size_t Stores::buffer_index(const ir::Var* buffer) const {
  const auto found = std::find_if(region_.buffers.begin(), region_.buffers.end(),
                                  [&](const ir::Buffer& b) { return b.var == buffer; });
  return static_cast<std::size_t>(found - region_.buffers.begin());
}

std::string Stores::room(const ir::Var* list, const ir::Var* buffer) const {
  if (list->type->bits || list->type->is_bit_rows()) return fmt::format("w.buffer<u64>({})", buffer_index(buffer));
  std::string columns = Expressions::type(list->type).substr(5);
  columns.pop_back();
  std::string_view call = region_.schedule.stack == ir::Stack::Paged ? "paged_buffer" : "buffer";
  return fmt::format("w.{}<{}>({})", call, columns, buffer_index(buffer));
}

void Stores::common(const ir::Store& s) {
  std::string arguments;
  for (const ir::Expr* operand : s.value->operands) arguments += expressions_.text(operand) + ", ";
  const ir::Var* part = ir::as<ir::Var>(s.value->operands[3]);
  const ir::For* parts = part != nullptr ? ir::as<ir::For>(facts_.definition(part)) : nullptr;
  const bool in_parts =
      region_.schedule.shared_rows != 0 && place_.loops() == 2 && parts != nullptr && ir::common_of_parts(*parts) == &s;
  const std::string shared = in_parts ? next_rows() : "w.kNotShared";
  out_.line(fmt::format("const i64 {} = {}(w, {}w.buffer<u32>({}), {}, {}, {});", names_.of(s.var),
                        ir::keyword(*s.value), arguments, buffer_index(s.buffer), shared, s.value->loc.line,
                        s.value->loc.column));
}

std::string Stores::next_rows() {
  const std::uint32_t rows = region_.schedule.shared_rows;
  const std::string number = rows == 1 ? "at0" : fmt::format("at0 * {} + {}", rows, next_rows_);
  ++next_rows_;
  return number;
}

std::string Stores::shared_rows(const ir::Store& s) {
  if (!s.var->type->is_bit_rows() || region_.schedule.shared_rows == 0 || place_.loops() != 1) return "";
  return fmt::format(", w.shared_rows(task, {}, u64({}.size))", next_rows(),
                     expressions_.text(s.value->operands[1], Precedence::Primary));
}

void Stores::keep(const ir::Store& s) {
  constexpr std::int64_t kMostWords = 64;
  const std::int64_t words =
      static_cast<std::int64_t>(matcha_program::words_for(static_cast<std::uint64_t>(facts_.longest(s.value))));
  std::string value = expressions_.text(s.value);
  const auto uses = uses_.find(s.var);
  if (uses != uses_.end() && uses->second > 1 && words <= kMostWords) {
    std::string place = fmt::format("{}_words", names_.of(s.var));
    out_.line(fmt::format("alignas(16) u64 {}[{}];", place, words));
    value = fmt::format("keep_bits({}, {})", value, place);
  }
  out_.line(fmt::format("const auto {} = {};", names_.of(s.var), value));
}

}  // namespace matcha::codegen::worker
