#pragma once

#include <string>

namespace matcha::runtime {

/// A file under a name that it does not keep: it gets its own name when it is complete. Else nothing of it stays, also
/// when the process ends by `discard_all` and no destructor runs.
class UnfinishedFile {
 public:
  /// There is no such file.
  UnfinishedFile() = default;
  /// The file was made, or is about to be.
  explicit UnfinishedFile(std::string path);
  ~UnfinishedFile();
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;

  bool exists() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// It is complete. Gives the number of the error, or 0.
  int rename_to(const std::string& name);

  /// Removes all that there are, from any thread; they must not be used any more.
  static void discard_all();

 private:
  void forget();

  std::string path_;
};

}  // namespace matcha::runtime
