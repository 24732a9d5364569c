#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "runtime/graph/io.h"

namespace matcha::runtime {

/// A stream compressor.
class Packer {
 public:
  /// Null for Compression::None.
  static std::unique_ptr<Packer> make(Compression compression);
  virtual ~Packer() = default;

  /// Passes packed bytes to `sink`, one block at a time; `last` ends the stream.
  using Sink = std::function<void(std::string_view)>;
  virtual void pack(std::string_view bytes, bool last, const Sink& sink) = 0;
};

}  // namespace matcha::runtime
