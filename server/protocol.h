#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/cpu/set_kernels.h"
#include "session/prepared.h"
#include "session/query_request.h"
#include "session/status.h"

namespace matcha::session {
struct OptionTargets;
}  // namespace matcha::session

/// The lines of `matcha serve`, each a JSON object; docs/serve.md has their schema.
namespace matcha::server {

using namespace session;

using Json = nlohmann::ordered_json;

/// Collects messages as the objects of `--diagnostics=json`; drops notes. For one thread.
class JsonLog final : public session::Reporter {
 public:
  void say(const Message& message) const override;
  void report(const Diagnostics& diagnostics, std::size_t from = 0) const override;
  void write(std::string_view text) const override;

  const Json& messages() const { return messages_; }

 private:
  mutable Json messages_ = Json::array();
};

/// The request of a line.
struct ServeRequest {
  enum class Kind : std::uint8_t { Run, Check, Cancel, Explain };

  Kind kind = Kind::Run;
  Json id;      ///< As given: a string, a whole number or null.
  Json target;  ///< Cancel: the id of the request that is to end.
  session::ProgramRequest program;
  Json lists;            ///< An object of arrays, by the names of parameters; null: there are none.
  std::string file;      ///< The file of the program, to be read; empty: the text or the pattern is given.
  std::string graph;     ///< The one of several that it is about; empty: the first, and those that a program names.
  bool picture = false;  ///< The answer has a picture of the first matches.
  bool builds_no_list = false;  ///< Rows are taken as they are found, and are too many if their text has `kMostText`.
  std::optional<double> timeout;
  std::optional<std::uint64_t> limit;
  unsigned threads = 0;
  std::optional<runtime::Tier> simd_tier;
  std::map<std::string, std::string> given;  ///< The options that decide how it is compiled, as text.
  std::optional<query::Query> query;         ///< The query, once it is read without errors.

  // Of the server.
  std::string folder;                      ///< With `no_files`: program files are read below it; empty: nowhere.
  std::optional<std::uint64_t> most_rows;  ///< The most rows of an answer.
  std::optional<double> most_seconds;      ///< The longest time of a run, even if the request names more.

  /// Equal for requests that the same compiled program serves.
  std::string key() const;
};

/// The word of a status in answers.
std::string_view word_of(Status status);

/// Whether a `file` is a module of the binary, such as `std.clique`.
bool is_library(const std::string& file);

/// The parts of a request that options are put into.
session::OptionTargets targets_of(ServeRequest& request);

/// Reads a line. `usual` has the defaults from the command line. False: the line is no request; `log` has the reason,
/// and `request.id` is its id if it has a proper one, else null.
bool read_request(std::string_view line, const ServeRequest& usual, ServeRequest& request, const JsonLog& log);

/// The bytes of an answer whose rows come as they are found.
inline constexpr std::size_t kMostText = std::size_t{64} << 20;

/// An answer, a whole line.
struct Answer {
  Status status = Status::Ok;
  std::string line;
};

/// One line of answer: its members in order.
class AnswerLine {
 public:
  AnswerLine(const Json& id, Status status);
  void add_raw(std::string_view key, std::string_view raw);
  void add(std::string_view key, const Json& value);
  /// With its newline.
  Answer take();

 private:
  Status status_;
  std::string text_;
};

/// JSON on one line; bytes that are no UTF-8 are replaced.
std::string dump_line(const Json& value);

/// The answer to a request that failed.
Answer error_answer(const Json& id, Status status, const JsonLog& log);
/// The same for a request that no `read_request` took: a usage error.
Answer usage_answer(const Json& id, std::string_view message, std::string_view hint = {});
/// The answer to a request that ended before it had a result; `why`: Timeout or Interrupted.
Answer stopped_answer(const Json& id, Status why);

}  // namespace matcha::server
