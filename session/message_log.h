#pragma once

#include <string>

#include "session/reporter.h"

namespace matcha::session {

/// Keeps the errors as text, a line each and hints below; drops notes and warnings. For one thread.
class MessageLog final : public Reporter {
 public:
  void note(std::string_view) const override {}
  void warning(std::string_view, std::string_view) const override {}
  Status error(Status status, std::string_view message, std::string_view hint = {}) const override;
  Status error(const runtime::Error& error) const override;
  Status error_at(Status status, const SourceManager& sources, SourceLoc loc, std::string_view message,
                  std::string_view hint) const override;
  void report(const Diagnostics& diagnostics, std::size_t from = 0) const override;
  void write(std::string_view text) const override { text_ += text; }

  const std::string& text() const { return text_; }

 private:
  void add(std::string_view place, std::string_view message, std::string_view hint) const;

  mutable std::string text_;
};

}  // namespace matcha::session
