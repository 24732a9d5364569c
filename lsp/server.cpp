#include "lsp/server.h"

#include <algorithm>
#include <limits>

#include "session/version.h"

namespace matcha::tools::lsp {

namespace {

// Error codes of JSON-RPC and of the protocol.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
              kInternalError = -32603, kNotInitialized = -32002;

/// Changes of a document are sent as its whole text.
constexpr int kFullText = 1;

/// The text at `key` of an object; null if there is none.
const std::string* text_at(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() ? nullptr : found->get_ptr<const std::string*>();
}

const Json& at(const Json& json, const char* key) {
  static const Json kNone;
  if (!json.is_object()) return kNone;
  const auto found = json.find(key);
  return found == json.end() ? kNone : *found;
}

}  // namespace

void Server::respond(const Json& id, Json result) {
  send_(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}.dump(-1, ' ', false,
                                                                                 Json::error_handler_t::replace));
}

void Server::fail(const Json& id, int code, const std::string& message) {
  const Json error = {{"code", code}, {"message", message}};
  send_(Json{{"jsonrpc", "2.0"}, {"id", id}, {"error", error}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Server::notify(const char* method, Json params) {
  send_(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
}

void Server::malformed(const std::string& why) { fail(nullptr, kParseError, why); }

bool Server::handle(std::string_view body) {
  const Json message = Json::parse(body, nullptr, false);
  if (message.is_discarded()) {
    malformed("the message is not JSON");
    return true;
  }
  const Json& id = at(message, "id");
  const bool valid_id = id.is_string() || id.is_number() || id.is_null();
  const std::string* method = text_at(message, "method");
  if (method == nullptr) {
    // An answer is ignored: the server sends no requests.
    const bool answer = message.is_object() && (message.contains("result") || message.contains("error"));
    if (!answer) fail(valid_id ? id : Json(), kInvalidRequest, "the message has no method");
    return true;
  }
  if (*method == "exit") return false;
  if (message.contains("id")) {
    request(valid_id ? id : Json(), *method, at(message, "params"));
  } else {
    notification(*method, at(message, "params"));
  }
  return true;
}

void Server::request(const Json& id, const std::string& method, const Json& params) {
  if (state_ == State::New && method != "initialize") return fail(id, kNotInitialized, "send `initialize` first");
  if (state_ == State::ShutDown) return fail(id, kInvalidRequest, "the server was shut down");
  if (state_ == State::Running && method == "initialize") return fail(id, kInvalidRequest, "`initialize` came already");
  try {
    respond(id, answer(method, params));
  } catch (const Failure& failure) {
    fail(id, failure.code, failure.message);
  } catch (const std::exception& error) {
    fail(id, kInternalError, error.what());
  }
}

Json Server::initialize() {
  state_ = State::Running;
  const Json capabilities = {
      {"positionEncoding", "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", kFullText}}},
      {"hoverProvider", true},
      {"completionProvider", {{"triggerCharacters", Json::array({"."})}}},
      {"definitionProvider", true},
      {"signatureHelpProvider", {{"triggerCharacters", Json::array({"(", ",", "="})}}},
      {"inlayHintProvider", true},
      {"documentSymbolProvider", true},
      {"documentFormattingProvider", true},
  };
  const Json info = {{"name", "matcha"}, {"version", session::matcha_version()}};
  return {{"capabilities", capabilities}, {"serverInfo", info}};
}

Json Server::answer(const std::string& method, const Json& params) {
  if (method == "initialize") return initialize();
  if (method == "shutdown") {
    state_ = State::ShutDown;
    return nullptr;
  }
  const Position position = position_of(at(params, "position"));
  if (method == "textDocument/hover") return hover(document_of(params), position);
  if (method == "textDocument/definition") return definition(document_of(params), position, shown_);
  if (method == "textDocument/completion") return completion(document_of(params), position);
  if (method == "textDocument/signatureHelp") return signature_help(document_of(params), position);
  if (method == "textDocument/documentSymbol") return symbols(document_of(params));
  if (method == "textDocument/formatting") return formatting(document_of(params));
  if (method == "textDocument/inlayHint") {
    const Json& range = at(params, "range");
    const std::size_t all = std::numeric_limits<std::uint32_t>::max();
    const std::size_t last = range.is_object() ? position_of(at(range, "end")).line : all;
    return inlay_hints(document_of(params), position_of(at(range, "start")).line, last);
  }
  throw Failure{kMethodNotFound, "there is no method `" + method + "`"};
}

const Document& Server::document_of(const Json& params) const {
  const std::string* uri = text_at(at(params, "textDocument"), "uri");
  if (uri == nullptr) throw Failure{kInvalidParams, "the request names no document"};
  const auto found = files_.find(*uri);
  if (found == files_.end()) throw Failure{kInvalidParams, "`" + *uri + "` is not open"};
  return *found->second.document;
}

void Server::notification(const std::string& method, const Json& params) {
  if (state_ != State::Running) return;
  const Json& document = at(params, "textDocument");
  const std::string* uri = text_at(document, "uri");
  if (uri == nullptr) return;
  if (method == "textDocument/didOpen") {
    if (const std::string* text = text_at(document, "text")) open(*uri, *text, at(document, "version"));
  } else if (method == "textDocument/didChange") {
    const Json& changes = at(params, "contentChanges");
    if (!changes.is_array() || changes.empty() || !files_.contains(*uri)) return;
    if (const std::string* text = text_at(changes.back(), "text")) open(*uri, *text, at(document, "version"));
  } else if (method == "textDocument/didClose") {
    close(*uri);
  }
}

void Server::open(const std::string& uri, std::string text, const Json& version) {
  OpenFile& file = files_[uri];
  file.text = std::move(text);
  file.version = version;
  check(uri);
  check_importers(uri);
}

void Server::close(const std::string& uri) {
  if (files_.erase(uri) == 0) return;
  publish(uri, nullptr, Json::array());
  check_importers(uri);
}

void Server::check(const std::string& uri) {
  const OpenText open_text = [this](const std::string& path) -> std::optional<std::string> {
    for (const auto& [other, file] : files_) {
      if (path_of(other) == path) return file.text;
    }
    return std::nullopt;
  };
  OpenFile& file = files_.at(uri);
  file.document = std::make_unique<Document>(uri, file.text, open_text);
  publish(uri, file.version, diagnostics(*file.document));
}

void Server::check_importers(const std::string& uri) {
  const std::string path = path_of(uri);
  for (const auto& [other, file] : files_) {
    if (other != uri && file.document->imports(path)) check(other);
  }
}

void Server::publish(const std::string& uri, const Json& version, const Json& diagnostics) {
  Json params = {{"uri", uri}, {"diagnostics", diagnostics}};
  if (version.is_number_integer()) params["version"] = version;
  notify("textDocument/publishDiagnostics", std::move(params));
}

}  // namespace matcha::tools::lsp
