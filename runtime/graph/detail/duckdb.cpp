#include "runtime/graph/detail/duckdb.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runtime/graph/detail/scratch_file.h"

namespace matcha::runtime::detail {

namespace {

// The declarations of duckdb.h that are used here; all versions from 0.3 on have them.
struct DuckResult {
  std::uint64_t column_count, row_count, rows_changed;
  void* columns;
  char* error_message;
  void* internal;
};

struct DuckDb {
  int (*open)(const char* path, void** database) = nullptr;
  int (*connect)(void* database, void** connection) = nullptr;
  int (*query)(void* connection, const char* sql, DuckResult* result) = nullptr;
  const char* (*result_error)(DuckResult* result) = nullptr;
  void (*destroy_result)(DuckResult* result) = nullptr;
  void (*disconnect)(void** connection) = nullptr;
  void (*close)(void** database) = nullptr;
};

constexpr const char* kHint =
    "install libduckdb.so from https://duckdb.org, or pipe the rows: duckdb -csv -c \"SQL\" | matcha run … -";

template <typename Function>
bool resolve(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  return function != nullptr;
}

/// Loads the library once and keeps it. Errors: Input.
Result<const DuckDb*> library() {
  static DuckDb calls;
  static const std::string problem = [] {
    const char* const chosen = std::getenv("MATCHA_LIBDUCKDB");
    void* const opened =
        ::dlopen(chosen != nullptr && *chosen != '\0' ? chosen : "libduckdb.so", RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) return std::string("queries need DuckDB: ") + ::dlerror();
    const bool whole =
        resolve(opened, "duckdb_open", calls.open) && resolve(opened, "duckdb_connect", calls.connect) &&
        resolve(opened, "duckdb_query", calls.query) && resolve(opened, "duckdb_result_error", calls.result_error) &&
        resolve(opened, "duckdb_destroy_result", calls.destroy_result) &&
        resolve(opened, "duckdb_disconnect", calls.disconnect) && resolve(opened, "duckdb_close", calls.close);
    return whole ? std::string() : std::string("queries need DuckDB, and this libduckdb.so lacks some of its calls");
  }();
  if (!problem.empty()) return input_error(kSqlPath, 0, problem, kHint);
  return static_cast<const DuckDb*>(&calls);
}

/// A database in memory.
class Session {
 public:
  explicit Session(const DuckDb& calls) : calls_(calls) {
    if (calls_.open(nullptr, &database_) != 0) database_ = nullptr;
    if (database_ != nullptr && calls_.connect(database_, &connection_) != 0) connection_ = nullptr;
  }
  ~Session() {
    if (connection_ != nullptr) calls_.disconnect(&connection_);
    if (database_ != nullptr) calls_.close(&database_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs a statement; returns the error, or an empty string.
  std::string run(const std::string& sql) {
    if (connection_ == nullptr) return "DuckDB cannot open a database in memory";
    DuckResult result{};
    std::string problem;
    if (calls_.query(connection_, sql.c_str(), &result) != 0) {
      const char* const text = calls_.result_error(&result);
      problem = text != nullptr ? text : "the query failed";
    }
    calls_.destroy_result(&result);
    return problem;
  }

 private:
  const DuckDb& calls_;
  void* database_ = nullptr;
  void* connection_ = nullptr;
};

/// A file in memory.
struct MemoryFile {
  int descriptor = ::memfd_create("matcha-sql", MFD_CLOEXEC);
  ~MemoryFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

/// Quotes a string for SQL.
std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

/// Writes the rows of a query to a file. With a memory limit DuckDB gets half of it, and the folder of scratch files.
Result<std::shared_ptr<const FileBytes>> copy_rows(const DuckDb& calls, const std::string& sql, const std::string& path,
                                                   const IoOptions& options) {
  Session session(calls);
  std::string problem;
  if (options.piece_bytes != 0) {
    problem = session.run("SET memory_limit = '" + std::to_string(options.piece_bytes / 2) + "B'");
    if (problem.empty()) problem = session.run("SET temp_directory = " + quoted(options.scratch_folder));
  }
  const std::string query = sql.substr(0, sql.find_last_not_of("; \t\r\n") + 1);
  if (problem.empty()) {
    problem =
        session.run("COPY (\n" + query + "\n) TO " + quoted(path) + " (FORMAT csv, HEADER true, USE_TMP_FILE false)");
  }
  if (problem.empty()) return FileBytes::open(path, options);
  while (problem.ends_with('\n')) problem.pop_back();
  Error error = input_error(kSqlPath, 0, problem);
  if (options.piece_bytes != 0 && problem.starts_with("Out of Memory")) {
    error.kind = ErrorKind::Resource;
    error.hint = "DuckDB has half of the memory limit: raise it, or ask for less at a time";
  }
  return error;
}

}  // namespace

Result<std::shared_ptr<const FileBytes>> query_table(const std::string& sql, const IoOptions& options) {
  const DuckDb* calls = MATCHA_TRY(library());
  if (options.piece_bytes == 0) {
    const MemoryFile file;
    if (file.descriptor < 0) return input_error(kSqlPath, 0, std::string("no file in memory: ") + std::strerror(errno));
    return copy_rows(*calls, sql, "/proc/self/fd/" + std::to_string(file.descriptor), options);
  }
  const std::shared_ptr<ScratchFile> file = MATCHA_TRY(ScratchFile::create(options.scratch_folder));
  return copy_rows(*calls, sql, file->path(), options);
}

}  // namespace matcha::runtime::detail
