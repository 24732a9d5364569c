#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/loaders/loader_input.h"

/// All formats that are recognised by their first bytes, with size lines and METIS.
MATCHA_FUZZER(load_formats) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  matcha::runtime::fuzz::load_as(bytes, matcha::runtime::Format::Auto);
}
