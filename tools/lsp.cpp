#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <system_error>

#include "lsp/server.h"
#include "lsp/transport.h"
#include "session/output_file.h"
#include "session/version.h"
#include "tools/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

/// Writes a module of the binary where an editor can read it; empty if that cannot be.
std::string show_module(std::string_view module, std::string_view text) {
  const std::string folder = library_folder();
  if (folder.empty()) return {};
  std::string path = folder + "/" + session::matcha_version() + "/";
  for (char c : module) path += c == '.' ? '/' : c;
  path += ".mt";
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error || !write_text_file(path, text)) return {};
  return std::filesystem::absolute(path).string();
}

Status serve() {
  lsp::Transport transport(STDIN_FILENO, STDOUT_FILENO);
  bool reader = true;
  lsp::Server server([&](const std::string& body) { reader = transport.write(body) && reader; }, show_module);
  std::string body;
  while (reader) {
    switch (transport.read(body)) {
      case lsp::Transport::ReadResult::End: return server.is_shut_down() ? Status::Ok : Status::Query;
      case lsp::Transport::ReadResult::Malformed: server.malformed(body); break;
      case lsp::Transport::ReadResult::Message:
        if (!server.handle(body)) return server.is_shut_down() ? Status::Ok : Status::Query;
    }
  }
  return Status::Query;
}

}  // namespace

void add_lsp(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("lsp", "Serve an editor: the Language Server Protocol over stdin and stdout");
  auto options = std::make_shared<ConsoleOptions>();
  // Clients pass it to every server.
  verb->add_flag("--stdio")->description("Use stdin and stdout, as always");
  add_console_options(*verb, *options);
  verb->footer(R"(
Editors start it; editors/README.md says how. It ends with `exit`, with code 1
if no `shutdown` came before.)");
  verb->callback([options, &action] { action = [] { return serve(); }; });
}

}  // namespace matcha::tools
