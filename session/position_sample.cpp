#include "session/position_sample.h"

#include <algorithm>
#include <array>

#include "ir/match.h"
#include "ir/rewriter.h"

namespace matcha::session {

namespace {

class SamplingRewriter final : public ir::Rewriter {
 public:
  SamplingRewriter(ir::Context& context, std::int64_t stride) : Rewriter(context), context_(context), stride_(stride) {}

 protected:
  void on_stmt(const ir::Stmt* stmt, ir::Stmts& out) override {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    const bool adds_up = region != nullptr && region->schedule.parallel &&
                         std::all_of(region->collect->sinks.begin(), region->collect->sinks.end(),
                                     [](const ir::Sink& sink) { return sink.kind == ir::SinkKind::Sum; });
    const ir::For* loop = adds_up ? ir::as<ir::For>(region->collect->body->body[0]) : nullptr;
    if (loop == nullptr) return out.push_back(stmt);
    builder().set_loc(stmt->loc);
    const ir::Var* position =
        loop->maybe_index != nullptr ? loop->maybe_index : builder().var(context_.i64(), "position");
    const ir::Expr* turn = builder().make(ir::Kind::Mod, {position, builder().integer(stride_)});
    const ir::Expr* taken = builder().make(ir::Kind::Eq, {turn, builder().integer(stride_ / 2)});
    const std::array<const ir::Stmt*, 1> body = {builder().branch(taken, loop->body)};
    const std::array<const ir::Stmt*, 1> sampled = {
        builder().loop(loop->vars, loop->lists, position, builder().block(body), loop->mode)};
    const ir::Collect* collect = builder().collect(region->collect->sinks, builder().block(sampled));
    out.push_back(builder().region(region->schedule, region->buffers, collect));
  }

 private:
  ir::Context& context_;
  const std::int64_t stride_;
};

}  // namespace

ir::Module sample_positions(const ir::Module& module, ir::Context& context, std::int64_t stride) {
  return stride <= 1 ? module : SamplingRewriter(context, stride).run(module);
}

}  // namespace matcha::session
