#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lsp/document.h"
#include "lsp/features.h"

namespace matcha::tools::lsp {

/// A language server: messages in, messages out, one at a time. Nothing is thrown for any message.
class Server {
 public:
  using Send = std::function<void(const std::string& body)>;

  Server(Send send, ShownModule shown) : send_(std::move(send)), shown_(std::move(shown)) {}

  /// Handles the content of one message; false after the client's request to exit.
  bool handle(std::string_view body);
  /// Answers a malformed message.
  void malformed(const std::string& why);
  /// True after the client's request to shut down, which must come before exit.
  bool is_shut_down() const { return state_ == State::ShutDown; }

 private:
  enum class State { New, Running, ShutDown };
  struct OpenFile {
    std::string text;
    Json version;
    std::unique_ptr<Document> document;
  };
  /// An error answer.
  struct Failure {
    int code;
    std::string message;
  };

  void respond(const Json& id, Json result);
  void fail(const Json& id, int code, const std::string& message);
  void notify(const char* method, Json params);

  void request(const Json& id, const std::string& method, const Json& params);
  void notification(const std::string& method, const Json& params);
  Json initialize();
  Json answer(const std::string& method, const Json& params);
  const Document& document_of(const Json& params) const;
  /// Keeps the text, and publishes the diagnostics of it and of the open files that import it.
  void open(const std::string& uri, std::string text, const Json& version);
  void close(const std::string& uri);
  void check(const std::string& uri);
  void check_importers(const std::string& uri);
  void publish(const std::string& uri, const Json& version, const Json& diagnostics);

  Send send_;
  ShownModule shown_;
  State state_ = State::New;
  std::map<std::string, OpenFile> files_;  ///< By URI.
};

}  // namespace matcha::tools::lsp
