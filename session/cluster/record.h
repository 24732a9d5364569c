#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/backend.h"
#include "runtime/result.h"

/// One run in several processes: the results of each are written and added up.
namespace matcha::session::cluster {

/// The result of a unit of a region (codegen/dealer.h).
struct Record {
  std::uint64_t region = 0;
  std::uint64_t unit = 0;
  std::vector<codegen::PartialValue> values;  ///< One for each sink of the region.
};

/// A record as bytes, the same on every machine that Matcha runs on.
std::string encode(const Record& record);
/// Back again. `file` is for the error. Errors: Input when it is none.
runtime::Result<Record> decode(std::string_view bytes, const std::string& file);

/// Bytes with their length and an XXH3-64 checksum in front, so that a torn or changed end of a file is found.
std::string framed(std::string_view bytes);
/// The bytes of the frame that `rest` begins with, which is then left out of `rest`. Empty `rest`: nothing was left.
/// Errors: Input when there is no whole frame.
runtime::Result<std::string_view> next_frame(std::string_view& rest, const std::string& file);

}  // namespace matcha::session::cluster
