#include "session/cluster/ledger.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

namespace matcha::session::cluster {

namespace {

constexpr const char* kSchema = "matcha.ledger/1";

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

runtime::Error no_ledger(const std::string& file) {
  return {runtime::ErrorKind::Input, "this is no ledger of a run", file, 0,
          "ledgers are written by `matcha run --shard I/N --ledger FILE`"};
}

/// False for the first bytes of a file that is no ledger: its header is a frame, and small.
bool may_be_ledger(std::string_view first, const std::string& file) {
  constexpr std::uint64_t kLongestHeader = std::uint64_t{64} << 20;
  std::uint64_t size = 0;
  if (first.size() < sizeof(size)) return false;
  std::memcpy(&size, first.data(), sizeof(size));
  return size <= kLongestHeader && (size > first.size() / 2 || next_frame(first, file));
}

runtime::Result<std::string> read_bytes(const std::string& file, bool is_ledger) {
  const std::unique_ptr<std::FILE, Closer> in(std::fopen(file.c_str(), "rb"));
  if (in == nullptr) return system_error(file, "open the file");
  struct stat facts {};
  const bool is_plain = ::fstat(::fileno(in.get()), &facts) == 0 && S_ISREG(facts.st_mode);
  // A device given by mistake has no end.
  constexpr std::size_t kMostOfOthers = std::size_t{64} << 20;
  std::string bytes;
  char block[1 << 16];
  while (const std::size_t count = std::fread(block, 1, sizeof block, in.get())) {
    if (is_ledger && bytes.empty() && !may_be_ledger({block, count}, file)) return no_ledger(file);
    bytes.append(block, count);
    if (!is_plain && bytes.size() > kMostOfOthers) return no_ledger(file);
  }
  if (std::ferror(in.get()) != 0) return system_error(file, "read the file");
  return bytes;
}

}  // namespace

runtime::Error system_error(const std::string& file, const char* what) {
  const int code = errno;
  return {runtime::ErrorKind::Input, fmt::format("cannot {}: {}", what, std::strerror(code)), file, 0, {}};
}

runtime::Result<std::string> read_whole(const std::string& file) { return read_bytes(file, false); }

std::string header_text(const LedgerHeader& header) {
  return nlohmann::json{{"schema", kSchema},      {"key", header.key},     {"version", header.version},
                        {"words", header.words},  {"units", header.units}, {"shard", header.shard},
                        {"shards", header.shards}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

runtime::Result<LedgerHeader> read_header(std::string_view text, const std::string& file) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  LedgerHeader header;
  try {
    if (json.at("schema").get<std::string>() != kSchema) return no_ledger(file);
    header.key = json.at("key").get<std::string>();
    header.version = json.at("version").get<std::string>();
    header.words = json.at("words").get<std::vector<std::string>>();
    header.units = json.at("units").get<std::uint64_t>();
    header.shard = json.at("shard").get<std::uint64_t>();
    header.shards = json.at("shards").get<std::uint64_t>();
  } catch (const nlohmann::json::exception&) {
    return no_ledger(file);
  }
  if (header.units == 0 || header.shards == 0 || header.shard >= header.shards) return no_ledger(file);
  return header;
}

runtime::Result<Ledger> read_ledger(const std::string& file) {
  const std::string bytes = MATCHA_TRY(read_bytes(file, true));
  Ledger ledger;
  ledger.file = file;
  ledger.file_bytes = bytes.size();
  std::string_view rest = bytes;
  const runtime::Result<std::string_view> first = next_frame(rest, file);
  if (!first) return no_ledger(file);
  ledger.header = MATCHA_TRY(read_header(*first, file));
  while (!rest.empty()) {
    std::string_view left = rest;
    const runtime::Result<std::string_view> frame = next_frame(left, file);
    if (!frame) break;
    Record record = MATCHA_TRY(decode(*frame, file));
    if (record.unit >= ledger.header.units) return no_ledger(file);
    rest = left;
    const auto [place, is_new] = ledger.units.try_emplace({record.region, record.unit}, std::move(record.values));
    if (is_new) continue;
    return runtime::Error{runtime::ErrorKind::Input,
                          fmt::format("unit {} of region {} is there twice", place->first.second, place->first.first),
                          file, 0, "write each part into a ledger of its own"};
  }
  ledger.whole_bytes = bytes.size() - rest.size();
  return ledger;
}

}  // namespace matcha::session::cluster
