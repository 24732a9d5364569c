// Records of ledgers: bytes that were not checked, since a file may have a checksum that fits and still be made by
// somebody else. What is read is written again, and must be the same then.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "session/cluster/ledger.h"
#include "session/cluster/record.h"
#include "tests/fuzz/fuzzer.h"

using namespace matcha::session::cluster;

MATCHA_FUZZER(ledger) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(read_header(bytes, "fuzzed"));
  std::string_view rest = bytes;
  static_cast<void>(next_frame(rest, "fuzzed"));
  const matcha::runtime::Result<Record> record = decode(bytes, "fuzzed");
  if (!record) return;
  const std::string again = encode(*record);
  const matcha::runtime::Result<Record> second = decode(again, "fuzzed");
  if (!second || encode(*second) != again) std::abort();
}
