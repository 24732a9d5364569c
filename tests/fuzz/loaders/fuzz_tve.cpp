#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/loaders/loader_input.h"

MATCHA_FUZZER(load_tve) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  matcha::runtime::fuzz::load_as(bytes, matcha::runtime::Format::Tve);
}
