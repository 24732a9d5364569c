#pragma once

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/result.h"

/// HTTP/1.1 for a service on a trusted network: no TLS, no chunked requests, no redirects. Written by hand because the
/// HTTP library of Debian brings OpenSSL, which would lengthen the start of every command by 4 ms.
namespace matcha::server::http {

struct Request {
  std::string method;
  std::string path;                            ///< Without the query, not decoded.
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;
  bool is_old = false;  ///< HTTP/1.0.
  std::string client;   ///< The address of the other end, without its port; `unix` for a socket in a folder.

  /// The value of a header; empty: there is none.
  std::string_view header(const std::string& name) const;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The socket of a client, with the response to its request. Threads take turns.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}

  /// The next request has come; `omits_body`: its response has a head alone, as that of HEAD. `is_old`: its client
  /// knows HTTP/1.0 alone.
  void next(bool omits_body, bool is_old = false) {
    code_ = 0;
    omits_body_ = omits_body;
    is_old_ = is_old;
  }
  /// A whole response. False: the client is gone.
  bool send(int code, std::string_view type, std::string_view body, const Headers& more = {});
  /// A response in parts: `begin`, then `put` any number of times, then `end`. False: the client is gone, or takes
  /// nothing for 10 seconds.
  bool begin(int code, std::string_view type);
  bool put(std::string_view part);
  bool end();
  /// Whether the client has closed its end.
  bool is_closed() const;
  /// The connection closes after the response.
  void close_after() { keeps_ = false; }
  bool keeps() const { return keeps_; }
  int code() const { return code_; }  ///< The code of the last response; 0: none was begun.
  int socket() const { return socket_; }

 private:
  bool write(std::string_view bytes);
  bool write_head(int code, std::string_view type, std::string_view length, const Headers& more);

  const int socket_;
  bool keeps_ = true;
  bool broken_ = false;
  bool omits_body_ = false;
  bool is_old_ = false;
  int code_ = 0;
};

struct Limits {
  std::size_t connections = 64;
  std::size_t head = std::size_t{16} << 10;
  std::size_t body = std::size_t{16} << 20;
  std::chrono::milliseconds idle{30'000};     ///< Between requests of a connection.
  std::chrono::milliseconds arrival{20'000};  ///< The time for one request, from its first byte on.
};

/// Accepts connections, each with a thread that reads requests and calls a handler.
class Listener {
 public:
  /// Sends one response. Throws nothing.
  using Handler = std::function<void(const Request& request, Connection& connection)>;

  explicit Listener(Handler handler, Limits limits = {}) : handler_(std::move(handler)), limits_(limits) {}
  ~Listener();
  /// Before `listen`. `wants_body`: whether the body of a request with this head is read; else the handler gets none,
  /// and the connection closes. `refused`: a request that no handler gets has this response.
  void watch(std::function<bool(const Request& head)> wants_body,
             std::function<void(const std::string& client, int code)> refused) {
    wants_body_ = std::move(wants_body);
    refused_ = std::move(refused);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Takes the address: `PORT` (of 127.0.0.1), `HOST:PORT`, `[V6]:PORT`, `unix:PATH`. Port 0: any. Errors: Input
  /// for another text, or an address that cannot be taken.
  runtime::Status listen(const std::string& address);
  /// Only this machine reaches the address.
  bool is_local() const { return is_local_; }
  /// `http://127.0.0.1:8080`, or `unix:PATH`.
  const std::string& url() const { return url_; }

  /// Accepts the connections that come within this time.
  void accept(std::chrono::milliseconds wait);
  /// No more connections are accepted, and those without a request close.
  void drain();
  /// Closes all connections at once, and waits for their threads.
  void close();
  std::size_t connections() const;

 private:
  runtime::Status take_socket(const std::string& path);
  runtime::Status take_address(const std::string& host, const std::string& port);
  void serve(int socket, std::string client);
  /// All requests of a connection.
  void converse(int socket, const std::string& client);
  /// Reads the next request. False: the connection ends; a response was sent if one was due.
  bool read(Connection& connection, std::string& buffer, Request& request) const;
  enum class Filled : std::uint8_t { Yes, Ended, Late };
  Filled fill(int socket, std::string& buffer, std::chrono::steady_clock::time_point until, bool may_drain) const;

  const Handler handler_;
  std::function<bool(const Request&)> wants_body_;
  std::function<void(const std::string&, int)> refused_;
  const Limits limits_;
  int socket_ = -1;
  std::string path_;    ///< The path of a socket in a folder, which is removed.
  struct stat own_ {};  ///< The file of that socket.
  std::string url_;
  bool is_local_ = true;
  std::atomic<bool> draining_ = false;
  mutable std::mutex mutex_;
  std::condition_variable left_;
  std::set<int> open_;
};

/// ASCII letters in lower case.
std::string lower(std::string_view text);

/// Reads the head of a request, without its last empty line. The code of the response to a wrong one; 0: it is right.
int parse_head(std::string_view head, Request& request);

}  // namespace matcha::server::http
