#pragma once

/// The prices of steps, in one unit for all engines: nanoseconds of one core. Engines multiply them by numbers of
/// steps.
namespace matcha::planner::price {

#define MATCHA_PRICE(name, value, unit, meaning) inline constexpr double name = value;
#include "planner/prices.def"
#undef MATCHA_PRICE

}  // namespace matcha::planner::price
