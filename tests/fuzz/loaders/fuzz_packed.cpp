#include "tests/fuzz/loaders/loader_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  matcha::runtime::fuzz::load_as(bytes, matcha::runtime::Format::Auto);
  return 0;
}
