#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/c_family/ahead_of_time.h"
#include "codegen/c_family/emitter.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen {

/// Gives the statements that run a region: they define `v`, its RegionValues, from the frame `f` and `plan`.
using RegionCall = std::function<std::vector<std::string>(const EmittedRegion& region, Names& names)>;

/// `// triangle of q.mt, made by …`, on one line.
std::string program_line(const AheadOfTime& about, std::string_view emit);

/// The texts that the host of a program builds on: runtime/common, codegen/c_family/host, and `runners`, the embedded
/// texts that run regions.
std::string host_prologue(std::initializer_list<std::string_view> runners);

/// The host of a program that is compiled ahead of time: it binds the parameters, runs the steps of the top level and
/// prints the answer. Its entry is `main_of_program`. The text expects `host_prologue` and the frame of `emitted`.
/// Gives nothing, with a diagnostic, for a program of several graphs. Requires: a verified module of stage kernel whose
/// label words were lifted; `emitted` and `names` are those of its workers.
std::optional<std::string> emit_host(const ir::Module& module, const AheadOfTime& about, const Emitted& emitted,
                                     Names& names, const RegionCall& call, Diagnostics& diagnostics);

}  // namespace matcha::codegen
