#pragma once

#include <span>

namespace matcha::tools {

struct VerbEntry;

/// The whole command line; the exit status. Nothing is thrown. `verbs`: those that there are besides `run`.
int run_command_line(int argc, const char* const* argv, std::span<const VerbEntry> verbs);

}  // namespace matcha::tools
