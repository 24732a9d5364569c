#pragma once

#include <memory>

#include "incremental/answer.h"
#include "incremental/dynamic_present.h"
#include "incremental/engine.h"
#include "incremental/root_ball.h"
#include "session/prepared.h"

namespace matcha::session::stream {

/// A program of a stream that reads the graph before and after each batch, near the changes of the batch, or runs on
/// the whole graph if that is faster.
class BatchProgram {
 public:
  BatchProgram() = default;
  virtual ~BatchProgram() = default;
  BatchProgram(const BatchProgram&) = delete;
  BatchProgram& operator=(const BatchProgram&) = delete;

  virtual MaintenanceMethod method() const = 0;
  virtual const Prepared& prepared() const = 0;
  /// Recompiles it for a graph with other codes of label words. The last total stays.
  virtual Status recompile(const ResidentGraph::Shared& graph) = 0;

  /// Edges changed without being counted. `also_last`: the last answer is unknown too.
  virtual void invalidate(bool also_last = false) = 0;
  virtual bool is_valid() const = 0;
  /// Runs it on the present graph. `layout_ms`: the time to lay that out.
  virtual Status run_whole(const ResidentGraph::Shared& graph, const ApplyOptions& options, double layout_ms) = 0;
  /// Makes it valid again, before a batch.
  virtual Status refresh(const ResidentGraph::Shared& graph, const ApplyOptions& options) = 0;

  /// Call before `recompile`, on the present graph: stores rows that contain labels, for the next batch.
  virtual Status keep_rows(const ResidentGraph::Shared& /*graph*/) { return Status::Ok; }
  /// Rows are stored: the next batch must be run on the whole graph.
  virtual bool keeps_rows() const { return false; }
  /// Only this method, and no run of the whole graph, finds the rows that come and go, which are asked for.
  virtual bool reports_rows() const { return false; }

  /// References for the current batch.
  struct BatchContext {
    const DynamicPresent& present;
    const NetBatch& batch;
    const ApplyOptions& options;
    const std::shared_ptr<const runtime::LabelDictionary>& dictionary;
    RootBalls& balls;
  };
  /// Call before the batch is applied. Requires: `is_valid`. Throws std::bad_alloc, as `after` does.
  virtual Status before(const BatchContext& at) = 0;
  /// After `before`: the answer needs a run on the graph without the edges that the batch deletes.
  virtual bool wants_rest() const { return false; }
  virtual Status run_rest(const ResidentGraph::Shared& /*graph*/, const ApplyOptions& /*options*/) {
    return Status::Ok;
  }
  /// Call after the batch is applied. Not `done`: the whole graph must be run.
  virtual Status after(const BatchContext& at, bool& done) = 0;

  /// Reports the result since the last answer; at the start with all rows, if requested.
  virtual Status answer(MaintenanceMethod how, Answer& answer) = 0;
};

}  // namespace matcha::session::stream
