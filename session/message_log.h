#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "session/reporter.h"

namespace matcha::session {

/// A warning or an error as an object like those of `render_json`.
nlohmann::ordered_json to_json(const Message& message);

/// Keeps the errors as text, a line each and hints below; drops notes and warnings. For one thread.
class MessageLog final : public Reporter {
 public:
  void say(const Message& message) const override;
  void report(const Diagnostics& diagnostics, std::size_t from = 0) const override;
  void write(std::string_view text) const override { text_ += text; }

  const std::string& text() const { return text_; }

 private:
  mutable std::string text_;
};

}  // namespace matcha::session
