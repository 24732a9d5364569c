#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/result.h"

/// MPI through our own declarations, loaded on first use: one binary runs under Open MPI, MPICH and libraries with
/// MPICH's binary interface, and is built without any of them. Source: the MPI 3.1 standard.
namespace matcha::runtime::cluster {

/// A joined world of ranks. The thread that opened it makes all calls. After a failed call only `abort` may be called.
class MpiLibrary {
 public:
  /// Opens the library and joins the world of the launcher. The library is the file that MATCHA_LIBMPI names, else the
  /// launcher's, else any that is installed. Errors: Runtime when there is none, its binary interface is unknown, or it
  /// is not the launcher's.
  static Result<std::unique_ptr<MpiLibrary>> open();
  virtual ~MpiLibrary() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The first line of the library's version text.
  const std::string& version() const { return version_; }

  /// Sends `size` bytes, at most INT_MAX; may wait until they are received.
  virtual Status send(int to, int tag, const void* bytes, std::size_t size) = 0;
  /// True if a message with this tag is pending, from any rank. Does not wait.
  virtual Result<bool> is_there(int tag) = 0;
  /// Waits for a message of exactly `size` bytes, from a rank or from any rank.
  virtual Status receive(int from, int tag, void* bytes, std::size_t size) = 0;
  /// Leaves the world, once all ranks do.
  virtual Status leave() = 0;
  /// Ends the processes of all ranks with an exit code.
  virtual void abort(int code) = 0;

  /// For `receive`.
  static constexpr int kAnyRank = -1;

 protected:
  int rank_ = 0;
  int size_ = 1;
  std::string version_;
};

/// The number of ranks that the launcher of this process reports; 0: unknown.
int launched_ranks();
/// This process's rank that the launcher reports; 0: unknown.
int launched_rank();
/// Its number among the ranks of its host; 0: unknown.
int launched_local_rank();

}  // namespace matcha::runtime::cluster
