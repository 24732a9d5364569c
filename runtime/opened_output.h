#pragma once

#include <optional>
#include <string>

#include "runtime/unfinished_file.h"

namespace matcha::runtime {

/// A place for bytes that is open for writing. `close` and `rename_to` end it.
struct OpenedOutput {
  int descriptor = -1;       ///< Negative: it could not be opened.
  int failure = 0;           ///< The errno of that.
  std::string path;          ///< The path of the file that appears; links of the given path are followed.
  UnfinishedFile temporary;  ///< The file that is written; none: bytes go to their place directly.
};

/// Opens `path` for writing. A regular file, or one that does not exist, is written under a temporary name beside it.
/// That name is random, and new. The mode of a file that exists is kept. `/dev/stdout` and other names
/// of open descriptors stand for those descriptors, also where they lead to files. Devices and pipes are opened as they
/// are.
OpenedOutput open_output(const std::string& path);

/// A copy of the open descriptor that a path such as `/dev/stdout` names; negative: it could not be copied. Nothing: it
/// names none.
std::optional<int> copy_named_descriptor(const std::string& path);

/// Creates a file beside `path`, with a unique name; `mode` is subject to the umask.
OpenedOutput create_beside(const std::string& path, unsigned mode = 0666);

}  // namespace matcha::runtime
