#pragma once

namespace matcha::tools {

/// The whole command line; the exit status. Nothing is thrown.
int run_command_line(int argc, const char* const* argv);

}  // namespace matcha::tools
