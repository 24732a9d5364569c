#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/result.h"

/// MPI through declarations of our own, opened when it is first wanted: one binary runs under Open MPI, MPICH and the
/// libraries with MPICH's binary interface, and is built without any of them. Source: the MPI 3.1 standard.
namespace matcha::runtime::cluster {

/// A joined world of ranks. One thread makes all calls, the same that opened it. After an error of a call the world is
/// of no use but for `abort`.
class MpiLibrary {
 public:
  /// Opens the library and joins the world that the launcher made. The library: the file that MATCHA_LIBMPI names, else
  /// that of the launcher, else any that is there.
  /// Errors: Runtime when there is none, it has a binary interface that is not known, or it is not the launcher's.
  static Result<std::unique_ptr<MpiLibrary>> open();
  virtual ~MpiLibrary() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The first line of what the library says of itself.
  const std::string& version() const { return version_; }

  /// Sends so many bytes, at most INT_MAX; may wait until they are received.
  virtual Status send(int to, int tag, const void* bytes, std::size_t size) = 0;
  /// Whether a message with this tag waits, from anybody. Does not wait.
  virtual Result<bool> is_there(int tag) = 0;
  /// Waits for a message of exactly so many bytes, from a rank or from anybody.
  virtual Status receive(int from, int tag, void* bytes, std::size_t size) = 0;
  /// Leaves the world, once all ranks do.
  virtual Status leave() = 0;
  /// Ends the processes of all ranks with an exit code.
  virtual void abort(int code) = 0;

  /// For `receive`.
  static constexpr int kAnybody = -1;

 protected:
  int rank_ = 0;
  int size_ = 1;
  std::string version_;
};

/// Ranks that the launcher of this process says there are; 0: none says so.
int launched_ranks();
/// Which of them the launcher says that this process is; 0: none says so.
int launched_rank();
/// Its number among those of its host; 0: none says so.
int launched_local_rank();

}  // namespace matcha::runtime::cluster
