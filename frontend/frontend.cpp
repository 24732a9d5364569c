#include "frontend/frontend.h"

#include "frontend/asg_build.h"
#include "frontend/infer.h"
#include "frontend/parse.h"
#include "frontend/resolve.h"

namespace matcha::frontend {
namespace {

/// Parses into a new program; `next_decl_id` continues to count for the imports.
std::unique_ptr<Program> parse_main(std::uint32_t file, std::uint32_t& next_decl_id, Diagnostics& diagnostics) {
  std::unique_ptr<Program> program = std::make_unique<Program>();
  program->main = parse_file(file, *program->arena, next_decl_id, diagnostics);
  if (program->main == nullptr) {
    program->main = program->arena->make<ast::File>();
    program->main->file = file;
    program->main->broken = true;
  }
  program->files.push_back(program->main);
  return program;
}

}  // namespace

std::unique_ptr<Program> parse(SourceManager&, std::uint32_t file, Diagnostics& diagnostics) {
  std::uint32_t next_decl_id = 0;
  return parse_main(file, next_decl_id, diagnostics);
}

std::unique_ptr<Program> check(SourceManager& sources, std::uint32_t file, const Options& options,
                               Diagnostics& diagnostics) {
  std::uint32_t next_decl_id = 0;
  std::unique_ptr<Program> program = parse_main(file, next_decl_id, diagnostics);
  load_imports(*program, sources, options, next_decl_id, diagnostics);
  std::vector<ast::Def*> order = resolve(*program, options, diagnostics);
  infer_types(*program, order, diagnostics);
  return program;
}

std::optional<asg::Graph> build_asg(const Program& program, Diagnostics& diagnostics) {
  if (diagnostics.has_errors() || program.entry == nullptr) return std::nullopt;
  asg::Graph graph;
  if (!asg::Evaluator(graph, diagnostics).run(*program.entry)) return std::nullopt;
  return graph;
}

std::optional<asg::Graph> compile(SourceManager& sources, std::uint32_t file, const Options& options,
                                  Diagnostics& diagnostics) {
  std::unique_ptr<Program> program = check(sources, file, options, diagnostics);
  std::optional<asg::Graph> graph = build_asg(*program, diagnostics);
  diagnostics.sort_by_place();
  return graph;
}

}  // namespace matcha::frontend
