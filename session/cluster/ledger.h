#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/result.h"
#include "session/cluster/record.h"

namespace matcha::session::cluster {

/// The description of a run in its ledger, as JSON in the first frame.
struct LedgerHeader {
  std::string key;                 ///< run_key
  std::string version;             ///< The version of Matcha, for messages.
  std::vector<std::string> words;  ///< The words of the command line, without those of the part alone.
  std::uint64_t units = 0;         ///< The number of units of each region.
  std::uint64_t shard = 0;         ///< Its number among `shards`; units shard, shard + shards, … are in it.
  std::uint64_t shards = 1;
};

std::string header_text(const LedgerHeader& header);
/// Errors: Input when it is none.
runtime::Result<LedgerHeader> read_header(std::string_view text, const std::string& file);

/// The records of a file.
struct Ledger {
  std::string file;
  LedgerHeader header;
  /// The results by region and unit.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<codegen::PartialValue>> units;
  std::uint64_t whole_bytes = 0;  ///< The bytes of whole frames, from the beginning.
  std::uint64_t file_bytes = 0;
};

/// Reads a ledger. A torn end is left out: its units count as not done. Errors: Input.
runtime::Result<Ledger> read_ledger(const std::string& file);

/// All of a file. Errors: Input.
runtime::Result<std::string> read_whole(const std::string& file);
/// The error of a system call on a file.
runtime::Error system_error(const std::string& file, const char* what);

}  // namespace matcha::session::cluster
