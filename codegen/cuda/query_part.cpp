#include "codegen/cuda/query_part.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <sstream>

#include "codegen/assumptions.h"
#include "codegen/c_family/text_writer.h"
#include "codegen/cuda/device_text.h"
#include "ir/printer.h"
#include "runtime/code_cache.h"

namespace matcha::codegen::gpu {

namespace {

constexpr std::string_view kMark = "// matcha-query 1 ";

ir::AssumptionKinds assumptions_of(const ir::Module& module) {
  ir::AssumptionKinds kinds;
  for (const AssumedArgument& each : assumed_arguments(module)) kinds.insert(each.kind);
  return kinds;
}

/// A hash of a module and its schedule. Kernels and the host code that launches them fit together only if both are made
/// from the same module.
std::string plan_of(const ir::Module& module) {
  const std::string text = ir::print(module);
  return runtime::CodeCache::key(std::array<std::string_view, 1>{text});
}

/// Without comments and white space.
std::string squeezed(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      at = std::min(text.find("*/", at), text.size() - 2) + 1;
    } else if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      result += text[at];
    }
  }
  return result;
}

/// The line with the mark, without the mark; empty: there is none.
std::string_view marked_line(std::string_view text) {
  const std::size_t at = text.find(kMark);
  if (at == std::string_view::npos || (at != 0 && text[at - 1] != '\n')) return {};
  text.remove_prefix(at + kMark.size());
  return text.substr(0, text.find('\n'));
}

/// The value after `key=` in the marked line.
std::string_view marked(std::string_view text, std::string_view key) {
  std::string_view line = marked_line(text);
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + key.size());
  return line.substr(0, line.find_first_of(" \r"));
}

bool refuse(const LoadedQuery& query, const std::string& why, const std::string& hint, Diagnostics& diagnostics) {
  diagnostics.error(DiagId::TargetLimit, {}, fmt::format("{}: {}", query.file, why), hint);
  return false;
}

}  // namespace

std::string query_part(const ir::Module& module) {
  Names names;
  const Emitted emitted = emit_workers(module, device_spelling(), names);
  TextWriter out;
  out.line(fmt::format("// The query of `{}`: the frame, and the code of the workers of each region.", module.name));
  out.line("// An edited copy runs with: matcha run PROGRAM GRAPH --device cuda --load-cuda THIS");
  const std::string assumed = ir::keywords(assumptions_of(module));
  out.line(fmt::format("{}plan={}{}{}", kMark, plan_of(module), assumed.empty() ? "" : " assumes=", assumed));
  out.blank();
  out.raw(emitted.frame);
  out.raw(emitted.text);
  return out.take();
}

bool check_loaded_query(const ir::Module& module, const LoadedQuery& query, Diagnostics& diagnostics) {
  if (!query.is_loaded()) return true;
  const std::string again = "make it anew: matcha build PROGRAM --emit=cuda --part query";
  const std::string_view plan = marked(query.text, "plan=");
  if (plan.empty()) {
    return refuse(query, fmt::format("the line `{}plan=…` is missing", kMark), "keep the comments at its top; " + again,
                  diagnostics);
  }
  if (plan != plan_of(module)) {
    return refuse(query, "it was made for another program, with other options or by another version of Matcha", again,
                  diagnostics);
  }
  Names names;
  const Emitted emitted = emit_workers(module, device_spelling(), names);
  const std::string text = squeezed(query.text);
  if (text.find(squeezed(emitted.frame)) == std::string::npos) {
    return refuse(query, "`struct Frame` is not the one that the host fills",
                  fmt::format("it must be as it was emitted:\n{}", emitted.frame), diagnostics);
  }
  for (const EmittedRegion& region : emitted.regions) {
    const std::string head = fmt::format("void work_on_{}(const Frame& f, WorkerOf<Group<{}>>& w)", region.function,
                                         region.region->schedule.group);
    if (text.find(squeezed(head)) == std::string::npos) {
      return refuse(query, fmt::format("the function that the kernel of `{}` calls is missing", region.function),
                    fmt::format("its first line is `{}`", head), diagnostics);
    }
  }
  return true;
}

std::string placed_query(const LoadedQuery& query) {
  std::string name;
  for (const char c : query.file) {
    if (c == '"' || c == '\\') name += '\\';
    name += c;
  }
  return fmt::format("#line 1 \"{}\"\n{}\n", name, query.text);
}

}  // namespace matcha::codegen::gpu

namespace matcha::codegen {

ir::AssumptionKinds LoadedQuery::assumed() const {
  ir::AssumptionKinds kinds;
  std::istringstream words{std::string(gpu::marked(text, "assumes="))};
  for (std::string word; std::getline(words, word, ',');) {
    ir::AssumptionKind kind{};
    if (ir::read_keyword(word, kind)) kinds.insert(kind);
  }
  return kinds;
}

}  // namespace matcha::codegen
