#include "server/http.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>

namespace matcha::server::http {

namespace {

using Clock = std::chrono::steady_clock;
using runtime::Error;

constexpr int kStallMs = 10'000;
/// Most bytes that are received at once.
constexpr std::size_t kBlock = std::size_t{1} << 16;

std::string_view words_of_code(int code) {
  switch (code) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Error";
  }
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMore = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kMore.find(c) != kMore.npos;
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// A number in digits alone, such as the length of a body; nothing: it is none.
std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t length = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return length;
}

Error address_error(std::string message) {
  Error error;
  error.message = std::move(message);
  error.hint = "such as `8080`, `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/matcha.sock`";
  return error;
}

Error system_error(const std::string& address) {
  return address_error(fmt::format("cannot listen on `{}`: {}", address, std::strerror(errno)));
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24 == 127;
  }
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

/// The host and the port of an address, as text.
std::pair<std::string, std::string> names_of(const sockaddr* address, socklen_t size) {
  char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "0";
  ::getnameinfo(address, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  return {host, port};
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string_view Request::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

int parse_head(std::string_view head, Request& request) {
  constexpr int kBad = 400, kNoVersion = 505, kNoEncoding = 501;
  const std::size_t first = std::min(head.find("\r\n"), head.size());
  const std::string_view line = head.substr(0, first);
  const std::size_t method = line.find(' '), target = line.rfind(' ');
  if (method == line.npos || target == method || !is_token(line.substr(0, method))) return kBad;
  const std::string_view version = line.substr(target + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return version.starts_with("HTTP/") ? kNoVersion : kBad;
  const std::string_view path = line.substr(method + 1, target - method - 1);
  const auto is_visible = [](char c) { return c > ' ' && c < 127; };
  if (!path.starts_with('/') || !std::ranges::all_of(path, is_visible)) return kBad;
  request.method = line.substr(0, method);
  request.path = path.substr(0, path.find('?'));
  head.remove_prefix(std::min(first + 2, head.size()));
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view field = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = field.find(':');
    if (colon == field.npos || !is_token(field.substr(0, colon))) return kBad;
    const std::string_view value = trimmed(field.substr(colon + 1));
    if (std::ranges::any_of(value, [](char c) { return c == '\0' || c == '\r' || c == '\n'; })) return kBad;
    // Of a header that comes twice no reader knows which one counts.
    if (!request.headers.emplace(lower(field.substr(0, colon)), value).second) return kBad;
  }
  request.is_old = version == "HTTP/1.0";
  if (request.is_old) request.headers.try_emplace("connection", "close");
  if (version == "HTTP/1.1" && !request.headers.contains("host")) return kBad;
  return request.headers.contains("transfer-encoding") ? kNoEncoding : 0;
}

bool Connection::write(std::string_view bytes) {
  while (!bytes.empty() && !broken_) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      struct pollfd ready = {socket_, POLLOUT, 0};
      const int found = ::poll(&ready, 1, kStallMs);
      if (found == 0 || (found < 0 && errno != EINTR)) broken_ = true;
    } else if (errno != EINTR) {
      broken_ = true;
    }
  }
  if (broken_) keeps_ = false;
  return !broken_;
}

bool Connection::write_head(int code, std::string_view type, std::string_view length, const Headers& more) {
  code_ = code;
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", code, words_of_code(code));
  if (!length.empty()) head += fmt::format("{}\r\n", length);
  if (!type.empty()) head += fmt::format("Content-Type: {}\r\n", type);
  head += "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n";
  if (!keeps_) head += "Connection: close\r\n";
  for (const auto& [name, value] : more) head += fmt::format("{}: {}\r\n", name, value);
  return write(head + "\r\n");
}

bool Connection::send(int code, std::string_view type, std::string_view body, const Headers& more) {
  return write_head(code, type, fmt::format("Content-Length: {}", body.size()), more) && (omits_body_ || write(body));
}

bool Connection::begin(int code, std::string_view type) {
  // Clients of HTTP/1.0 know no chunks: the end of the connection is that of the body.
  if (is_old_) {
    keeps_ = false;
    return write_head(code, type, {}, {});
  }
  return write_head(code, type, "Transfer-Encoding: chunked", {});
}

bool Connection::put(std::string_view part) {
  if (part.empty()) return !broken_;
  return write(is_old_ ? std::string(part) : fmt::format("{:x}\r\n{}\r\n", part.size(), part));
}

bool Connection::end() { return is_old_ ? !broken_ : write("0\r\n\r\n"); }

bool Connection::is_closed() const {
  struct pollfd ready = {socket_, POLLRDHUP, 0};
  return ::poll(&ready, 1, 0) > 0 && (ready.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

Listener::~Listener() { close(); }

runtime::Status Listener::take_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return address_error(fmt::format("`{}` is not the path of a socket, which has 1 to 107 bytes", path));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return system_error(path);
  // A socket that refuses connections is left over from a server that was killed.
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode)) {
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe >= 0 && ::connect(probe, generic, sizeof address) != 0 && errno == ECONNREFUSED) ::unlink(path.c_str());
    if (probe >= 0) ::close(probe);
  }
  const mode_t mask = ::umask(0177);
  const int bound = ::bind(socket_, generic, sizeof address);
  ::umask(mask);
  if (bound != 0 || ::listen(socket_, SOMAXCONN) != 0) return system_error(path);
  if (::lstat(path.c_str(), &own_) != 0) return system_error(path);
  path_ = path;
  url_ = "unix:" + path;
  return runtime::Done{};
}

runtime::Status Listener::take_address(const std::string& host, const std::string& port) {
  const std::optional<std::size_t> number = number_of(port);
  if (!number || *number > 65535) {
    return address_error(fmt::format("`{}:{}` is not an address: a port is a number up to 65535", host, port));
  }
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found);
  if (problem != 0) {
    return address_error(fmt::format("`{}:{}` is not an address: {}", host, port, ::gai_strerror(problem)));
  }
  socket_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (socket_ >= 0) ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool bound =
      socket_ >= 0 && ::bind(socket_, found->ai_addr, found->ai_addrlen) == 0 && ::listen(socket_, SOMAXCONN) == 0;
  is_local_ = is_loopback(found->ai_addr);
  ::freeaddrinfo(found);
  if (!bound) return system_error(host + ":" + port);
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size);
  const auto [name, own_port] = names_of(reinterpret_cast<const sockaddr*>(&own), size);
  url_ = own.ss_family == AF_INET6 ? fmt::format("http://[{}]:{}", name, own_port)
                                   : fmt::format("http://{}:{}", name, own_port);
  return runtime::Done{};
}

runtime::Status Listener::listen(const std::string& address) {
  constexpr std::string_view kSocket = "unix:";
  if (address.starts_with(kSocket)) return take_socket(address.substr(kSocket.size()));
  const std::size_t colon = address.rfind(':');
  std::string host = colon == address.npos ? "127.0.0.1" : address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return take_address(host.empty() ? "?" : host, colon == address.npos ? address : address.substr(colon + 1));
}

void Listener::accept(std::chrono::milliseconds wait) {
  struct pollfd ready = {socket_, POLLIN, 0};
  if (socket_ < 0 || ::poll(&ready, 1, static_cast<int>(wait.count())) <= 0) return;
  sockaddr_storage other{};
  socklen_t size = sizeof other;
  const int socket = ::accept4(socket_, reinterpret_cast<sockaddr*>(&other), &size, SOCK_CLOEXEC);
  if (socket < 0) {
    // Without descriptors it would be called again at once.
    if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return;
  }
  const int on = 1;
  if (path_.empty()) ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::string client = path_.empty() ? names_of(reinterpret_cast<const sockaddr*>(&other), size).first : "unix";
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (open_.size() < limits_.connections) {
      open_.insert(socket);
      try {
        std::thread([this, socket, client]() mutable { serve(socket, std::move(client)); }).detach();
        return;
      } catch (const std::system_error&) {
        open_.erase(socket);
      }
    }
  }
  Connection full(socket);
  full.close_after();
  full.send(503, "text/plain", "too many connections\n", {{"Retry-After", "1"}});
  if (refused_) refused_(client, 503);
  ::close(socket);
}

Listener::Filled Listener::fill(int socket, std::string& buffer, Clock::time_point until, bool may_drain) const {
  constexpr std::chrono::milliseconds kLook{100};
  for (;;) {
    if (may_drain && draining_) return Filled::Ended;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return Filled::Late;
    struct pollfd ready = {socket, POLLIN, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::min(left, kLook).count()));
    if (found < 0 && errno != EINTR) return Filled::Ended;
    if (found <= 0) continue;
    const std::size_t size = buffer.size();
    buffer.resize(size + kBlock);
    const ssize_t got = ::recv(socket, buffer.data() + size, kBlock, 0);
    buffer.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got > 0) return Filled::Yes;
    if (got == 0 || errno != EINTR) return Filled::Ended;
  }
}

bool Listener::read(Connection& connection, std::string& buffer, Request& request) const {
  const auto refuse = [&](int code) {
    connection.close_after();
    connection.send(code, "text/plain", fmt::format("{}\n", words_of_code(code)));
    return false;
  };
  Clock::time_point until = Clock::now() + limits_.idle;
  bool has_begun = !buffer.empty();
  std::size_t end = std::string::npos;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (buffer.size() > limits_.head) return refuse(431);
    const Filled filled = fill(connection.socket(), buffer, until, buffer.empty());
    if (filled == Filled::Ended) return false;
    if (filled == Filled::Late) return has_begun ? refuse(408) : false;
    if (!std::exchange(has_begun, true)) until = Clock::now() + limits_.arrival;
  }
  if (end > limits_.head) return refuse(431);
  const int wrong = parse_head(std::string_view(buffer).substr(0, end), request);
  connection.next(request.method == "HEAD", request.is_old);
  if (wrong != 0) return refuse(wrong);
  buffer.erase(0, end + 4);
  if (lower(request.header("connection")) == "close" || draining_) connection.close_after();
  const bool has_length = request.headers.contains("content-length");
  if (!has_length && request.method == "POST") return refuse(411);
  const std::optional<std::size_t> length = has_length ? number_of(request.header("content-length")) : 0;
  if (!length) return refuse(400);
  if (*length > limits_.body) return refuse(413);
  if (*length != 0 && wants_body_ && !wants_body_(request)) {
    connection.close_after();
    return true;
  }
  if (lower(request.header("expect")) == "100-continue" && buffer.size() < *length) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    ::send(connection.socket(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
  }
  buffer.reserve(*length + kBlock);
  until = Clock::now() + limits_.arrival;
  while (buffer.size() < *length) {
    const Filled filled = fill(connection.socket(), buffer, until, false);
    if (filled == Filled::Ended) return false;
    if (filled == Filled::Late) return refuse(408);
  }
  std::string rest = buffer.substr(*length);
  buffer.resize(*length);
  request.body = std::exchange(buffer, std::move(rest));
  return true;
}

void Listener::converse(int socket, const std::string& client) {
  Connection connection(socket);
  std::string buffer;
  while (connection.keeps()) {
    Request request;
    request.client = client;
    connection.next(false);
    if (!read(connection, buffer, request)) {
      if (connection.code() != 0 && refused_) refused_(client, connection.code());
      break;
    }
    handler_(request, connection);
  }
}

void Listener::serve(int socket, std::string client) {
  {
    // Without memory the connection ends, and not the server.
    try {
      converse(socket, client);
    } catch (const std::exception&) {
    }
    // The client gets the response even if it still sends, which would reset the connection.
    ::shutdown(socket, SHUT_WR);
    struct pollfd rest = {socket, POLLIN, 0};
    char dropped[4096];
    for (int i = 0; i < 64 && ::poll(&rest, 1, 100) > 0 && ::recv(socket, dropped, sizeof dropped, 0) > 0; ++i) {
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.erase(socket);
  ::close(socket);
  left_.notify_all();
}

void Listener::drain() {
  draining_ = true;
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  // Another server may have taken the path since.
  struct stat there {};
  const bool is_own = !path_.empty() && ::lstat(path_.c_str(), &there) == 0 && there.st_dev == own_.st_dev &&
                      there.st_ino == own_.st_ino;
  if (is_own) ::unlink(path_.c_str());
}

void Listener::close() {
  drain();
  std::unique_lock<std::mutex> lock(mutex_);
  for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  left_.wait(lock, [this] { return open_.empty(); });
}

std::size_t Listener::connections() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return open_.size();
}

}  // namespace matcha::server::http
