// Records of ledgers as unchecked bytes, because a file with a correct checksum may come from an attacker. Accepted
// records are written again, and must be the same then.

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
