#include "incremental/state.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "incremental/update.h"
#include "runtime/graph/mtg.h"
#include "session/output_file.h"

namespace matcha::session::stream {

namespace {

constexpr mode_t kReadable = 0644;
constexpr const char* kSchema = "matcha.stream-state/1";

runtime::Error file_error(const std::string& file, std::string message, std::string hint = {}) {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.file = file;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

runtime::Error write_error(const std::string& file, int code) {
  return file_error(file, fmt::format("cannot be written: {}", std::strerror(code)));
}

/// FNV-1a.
std::uint64_t sum_of(std::string_view bytes) {
  std::uint64_t sum = 0xCBF29CE484222325ULL;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001B3ULL;
  return sum;
}

/// `why`: the fault of a file or folder of the state.
runtime::Error distrusted(const std::string& file, const std::string& why) {
  return file_error(file, "it " + why,
                    "a state is for one user alone: no links, and `chmod -R go-w` for the folder and its files");
}

runtime::Result<runtime::Descriptor> open_file(const std::string& file, int flags) {
  std::string why;
  runtime::Descriptor opened = runtime::open_private_file(AT_FDCWD, file, flags, kReadable, why);
  if (!opened.valid()) return distrusted(file, why);
  return opened;
}

runtime::Result<std::string> read_all(const std::string& file) {
  const runtime::Descriptor opened = MATCHA_TRY(open_file(file, O_RDONLY));
  std::string bytes;
  for (;;) {
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    const std::size_t size = bytes.size();
    bytes.resize(size + kBlock);
    const ssize_t got = ::read(opened.get(), bytes.data() + size, kBlock);
    const int code = got < 0 ? errno : 0;
    bytes.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return bytes;
    if (got < 0 && code != EINTR) return file_error(file, fmt::format("cannot be read: {}", std::strerror(code)));
  }
}

/// The header of a batch in the log.
struct RecordHead {
  std::uint64_t magic = 0;
  std::uint64_t bytes = 0;  ///< Bytes of the lines.
  std::uint64_t batch = 0, taken = 0, offset = 0, line = 0, flushed = 0;
  std::uint64_t sum = 0;  ///< Of the header and the lines.
};
constexpr std::uint64_t kMagic = 0x31474F4C4D54534DULL;

std::uint64_t sum_of(const RecordHead& head, std::string_view lines) {
  std::string bytes(reinterpret_cast<const char*>(&head), offsetof(RecordHead, sum));
  return sum_of(bytes.append(lines));
}

/// The number in `17.state`; empty for other names.
std::optional<std::uint64_t> number_of(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  std::uint64_t number = 0;
  const std::from_chars_result read = std::from_chars(name.data(), name.data() + name.size(), number);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return std::nullopt;
  return number;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const listed = ::opendir(folder.c_str());
  if (listed == nullptr) return names;
  while (const dirent* const entry = ::readdir(listed)) names.emplace_back(entry->d_name);
  ::closedir(listed);
  return names;
}

/// True for the name of a file of a state: `lock`, or a number and an ending.
bool is_ours(const std::string& name) {
  const std::size_t dot = name.find_first_not_of("0123456789");
  return name == "lock" || (dot != 0 && dot != std::string::npos && name[dot] == '.');
}

/// True for an array of rows with `ints` integers each.
bool are_rows(const nlohmann::json& rows, std::size_t ints) {
  return rows.is_array() && std::ranges::all_of(rows, [ints](const nlohmann::json& row) {
           return row.is_array() && row.size() == ints &&
                  std::ranges::all_of(row, [](const nlohmann::json& item) { return item.is_number_integer(); });
         });
}

bool is_count(const nlohmann::json& facts, const char* name) {
  return facts.contains(name) && facts.at(name).is_number_unsigned();
}

/// True for a value that `Feed::restore` accepts.
bool is_feed(const nlohmann::json& feed) {
  constexpr std::size_t kOfEdge = 4, kOfUpdate = 5, kOfColumns = 6;
  if (!feed.is_object() || !are_rows(feed.value("live", nlohmann::json()), kOfEdge) ||
      !are_rows(feed.value("waiting", nlohmann::json()), kOfEdge) ||
      !are_rows(feed.value("ready", nlohmann::json()), kOfUpdate)) {
    return false;
  }
  const auto is_known = [](const nlohmann::json& update) {
    return update.at(0) >= 0 && update.at(0) <= static_cast<int>(UpdateKind::DeleteVertex);
  };
  if (!std::ranges::all_of(feed.at("ready"), is_known)) return false;
  for (const char* const name : {"begun", "first-decides"}) {
    if (feed.contains(name) && !feed.at(name).is_boolean()) return false;
  }
  if (feed.contains("latest") && !feed.at("latest").is_number_integer()) return false;
  if (!feed.contains("columns")) return true;
  const nlohmann::json& columns = feed.at("columns");
  return columns.is_array() && columns.size() == kOfColumns && columns.back().is_boolean() &&
         std::all_of(columns.begin(), columns.end() - 1,
                     [](const nlohmann::json& item) { return item.is_number_integer(); });
}

/// True for a value that `LedgerRows::restore` accepts.
bool are_of_table(const nlohmann::json& table) {
  if (!table.is_object() || !is_count(table, "lines") || !is_count(table, "per-second")) return false;
  for (const char* const name : {"has-time", "has-dates", "chosen"}) {
    if (!table.contains(name) || !table.at(name).is_boolean()) return false;
  }
  const auto all = [&table](const char* name, const auto& fits) {
    return table.contains(name) && table.at(name).is_array() && std::ranges::all_of(table.at(name), fits);
  };
  const auto is_int = [](const nlohmann::json& item) { return item.is_number_integer(); };
  if (!all("ids", is_int) || !all("are-times", [](const nlohmann::json& item) { return item.is_boolean(); }))
    return false;
  const auto is_row = [&](const nlohmann::json& row) {
    constexpr std::size_t kOfRow = 6, kCells = 5;
    if (!row.is_array() || row.size() != kOfRow || !std::all_of(row.begin(), row.begin() + kCells, is_int))
      return false;
    const nlohmann::json& cells = row.back();
    return row.at(0) < table.at("ids").size() && row.at(1) < table.at("ids").size() && cells.is_array() &&
           cells.size() == table.at("are-times").size() &&
           std::ranges::all_of(cells, [](const nlohmann::json& cell) { return cell.is_string(); });
  };
  return all("live", is_row) && all("waiting", is_row);
}

/// True if each row that the feed has yet to give to a batch waits in the table, once.
bool gives_rows_of(const nlohmann::json& feed, const nlohmann::json& table) {
  constexpr std::size_t kNumber = 3, kLineOfEdge = 3, kLineOfUpdate = 4;
  std::set<std::uint64_t> rows;
  for (const nlohmann::json& row : table.at("waiting")) rows.insert(row.at(kNumber).get<std::uint64_t>() + 1);
  for (const nlohmann::json& edge : feed.at("waiting")) {
    if (rows.erase(edge.at(kLineOfEdge).get<std::uint64_t>()) == 0) return false;
  }
  return std::ranges::all_of(feed.at("ready"), [&](const nlohmann::json& update) {
    const bool comes = update.at(0) == static_cast<int>(UpdateKind::InsertEdge);
    return !comes || rows.erase(update.at(kLineOfUpdate).get<std::uint64_t>()) != 0;
  });
}

/// True if a checkpoint has all fields of a stream, each with its type.
bool is_whole(const nlohmann::json& facts) {
  for (const char* const name : {"batch", "offset", "line"}) {
    if (!is_count(facts, name)) return false;
  }
  for (const char* const name : {"out-bytes", "matches-bytes"}) {
    if (facts.contains(name) && !is_count(facts, name)) return false;
  }
  if (facts.contains("names")) {
    const nlohmann::json& names = facts.at("names");
    const auto is_text = [](const nlohmann::json& name) { return name.is_string(); };
    if (!names.is_array() || !std::ranges::all_of(names, is_text)) return false;
  }
  if (!facts.value("settings", nlohmann::json()).is_object() || !is_feed(facts.value("feed", nlohmann::json())))
    return false;
  return !facts.contains("rows") ||
         (are_of_table(facts.at("rows")) && gives_rows_of(facts.at("feed"), facts.at("rows")));
}

int sync_path(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int code = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return code;
}

}  // namespace

std::string StateFolder::file(std::uint64_t batch, const char* ending) const {
  return fmt::format("{}/{}{}", path_, batch, ending);
}

runtime::Result<StateFolder> StateFolder::open(const std::string& path) {
  StateFolder folder;
  folder.path_ = path;
  while (folder.path_.size() > 1 && folder.path_.back() == '/') folder.path_.pop_back();
  constexpr mode_t kSearchable = 0755;
  if (::mkdir(folder.path_.c_str(), kSearchable) != 0 && errno != EEXIST) return write_error(path, errno);
  std::string why;
  if (!runtime::open_private_folder(folder.path_, why).valid()) return distrusted(path, why);
  folder.lock_ = MATCHA_TRY(open_file(folder.path_ + "/lock", O_RDWR | O_CREAT));
  if (::flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return file_error(path, "another process keeps its state here", "give each stream a folder of its own");
  }
  for (const std::string& name : names_in(folder.path_)) {
    if (!is_ours(name)) continue;
    const runtime::Descriptor file = MATCHA_TRY(open_file(folder.path_ + "/" + name, O_RDONLY));
    const std::optional<std::uint64_t> number = number_of(name, ".state");
    if (number && (!folder.checkpoint_ || *number > *folder.checkpoint_)) folder.checkpoint_ = number;
  }
  return folder;
}

runtime::Result<nlohmann::json> StateFolder::read_facts() const {
  const std::string name = file(*checkpoint_, ".state");
  std::string bytes = MATCHA_TRY(read_all(name));
  // The last line has the checksum of everything before it.
  constexpr std::size_t kSumLine = 17;
  const std::size_t size = bytes.size();
  const bool has_sum = size > kSumLine;
  const std::string_view facts = std::string_view(bytes).substr(0, has_sum ? size - kSumLine : 0);
  if (!has_sum || std::string_view(bytes).substr(facts.size()) != fmt::format("{:016x}\n", sum_of(facts))) {
    return file_error(name, "the checkpoint is torn or was changed", "its checksum is not that of its content");
  }
  nlohmann::json read = nlohmann::json::parse(facts, nullptr, false);
  const bool is_ours = read.is_object() && read.contains("schema") && read.at("schema") == kSchema;
  if (!is_ours || !is_whole(read)) {
    return file_error(name, "it is no checkpoint of this version", fmt::format("{} is read", kSchema));
  }
  return read;
}

runtime::Result<ResidentGraph::Shared> StateFolder::read_graph(bool edge_labels) const {
  return ResidentGraph::read(file(*checkpoint_, ".mtg"), "", false, nullptr, edge_labels);
}

runtime::Result<std::vector<LogRecord>> StateFolder::read_log() {
  std::vector<LogRecord> records;
  const std::string name = file(*checkpoint_, ".log");
  std::uint64_t whole = 0;
  if (::access(name.c_str(), F_OK) == 0) {
    std::string bytes = MATCHA_TRY(read_all(name));
    while (whole < bytes.size()) {
      RecordHead head;
      const std::uint64_t left = bytes.size() - whole;
      if (left < sizeof(head)) break;
      std::memcpy(&head, bytes.data() + whole, sizeof(head));
      const bool is_torn = head.magic != kMagic || head.bytes > left - sizeof(head);
      const std::uint64_t before = records.empty() ? *checkpoint_ : records.back().batch;
      const std::string_view lines =
          is_torn ? std::string_view() : std::string_view(bytes).substr(whole + sizeof(head), head.bytes);
      if (is_torn || head.sum != sum_of(head, lines)) {
        // A truncated write is at the end, and no valid record follows it.
        const std::string_view rest = std::string_view(bytes).substr(whole + 1);
        const std::string_view magic(reinterpret_cast<const char*>(&kMagic), sizeof(kMagic));
        if (rest.find(magic) == std::string_view::npos) break;
        return file_error(name, fmt::format("the log is corrupt after batch {}", before));
      }
      if (head.batch != before + 1)
        return file_error(name, fmt::format("the log lacks the record after batch {}", before));
      records.push_back({head.batch, head.taken, head.offset, head.line, head.flushed != 0, std::string(lines)});
      whole += sizeof(head) + head.bytes;
    }
  }
  MATCHA_TRY(begin_log(false));
  if (::ftruncate(log_.get(), static_cast<off_t>(whole)) != 0) return write_error(name, errno);
  log_bytes_ = whole;
  return records;
}

runtime::Status StateFolder::begin_log(bool is_new) {
  const std::string name = file(*checkpoint_, ".log");
  if (is_new) (void)::unlink(name.c_str());
  log_ = MATCHA_TRY(open_file(name, O_WRONLY | O_CREAT | O_APPEND | (is_new ? O_EXCL : 0)));
  log_bytes_ = 0;
  return sync_folder();
}

runtime::Status StateFolder::sync_folder() const {
  const int code = sync_path(path_);
  return code == 0 ? runtime::Status(runtime::Done{}) : write_error(path_, code);
}

runtime::Status StateFolder::write(std::uint64_t batch, const ResidentGraph& graph, const nlohmann::json& facts) {
  const std::string graph_file = file(batch, ".mtg"), name = file(batch, ".state");
  MATCHA_TRY(
      runtime::write_mtg(graph.maybe_informed() != nullptr ? *graph.maybe_informed() : graph.graph(), graph_file));
  // It was created with the user's umask, which may allow others to write.
  if (::chmod(graph_file.c_str(), kReadable) != 0) return write_error(graph_file, errno);
  if (const int code = sync_path(graph_file); code != 0) return write_error(graph_file, code);
  nlohmann::json with_schema = facts;
  with_schema["schema"] = kSchema;
  std::string text = with_schema.dump() + "\n";
  text += fmt::format("{:016x}\n", sum_of(text));
  const std::string unfinished = name + ".tmp";
  (void)::unlink(unfinished.c_str());
  runtime::Descriptor opened = MATCHA_TRY(open_file(unfinished, O_WRONLY | O_CREAT | O_EXCL));
  int code = write_all(opened.get(), text);
  if (code == 0 && ::fsync(opened.get()) != 0) code = errno;
  if (const int closed = opened.close(); code == 0) code = closed;
  if (code == 0 && ::rename(unfinished.c_str(), name.c_str()) != 0) code = errno;
  if (code != 0) return write_error(name, code);
  MATCHA_TRY(sync_folder());
  checkpoint_ = batch;
  MATCHA_TRY(begin_log(true));
  remove_others();
  return runtime::Done{};
}

void StateFolder::remove_others() const {
  const std::string kept = std::to_string(*checkpoint_);
  for (const std::string& name : names_in(path_)) {
    if (!is_ours(name) || name == "lock" || name == kept + ".state" || name == kept + ".mtg" || name == kept + ".log")
      continue;
    (void)::unlink((path_ + "/" + name).c_str());
  }
}

runtime::Status StateFolder::append(const LogRecord& record) {
  RecordHead head{
      kMagic, record.lines.size(), record.batch, record.taken, record.offset, record.line, record.flushed ? 1u : 0u, 0};
  head.sum = sum_of(head, record.lines);
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof(head));
  bytes += record.lines;
  int code = write_all(log_.get(), bytes);
  if (code == 0 && ::fdatasync(log_.get()) != 0) code = errno;
  if (code != 0) return write_error(file(*checkpoint_, ".log"), code);
  log_bytes_ += bytes.size();
  return runtime::Done{};
}

}  // namespace matcha::session::stream
