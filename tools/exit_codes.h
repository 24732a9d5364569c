#pragma once

#include "session/status.h"

namespace matcha::tools {

/// The verbs speak of the steps of a run as their own.
using namespace session;

}  // namespace matcha::tools
