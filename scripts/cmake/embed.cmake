# Writes HEADER and SOURCE with the texts of FILES (relative to BASE) in NAMESPACE; see matcha_embed.

cmake_path(GET HEADER FILENAME header_name)
file(WRITE "${HEADER}" "#pragma once

#include <string_view>
#include <vector>

namespace ${NAMESPACE} {

/// The text of an embedded file, or a view with a null data().
std::string_view embedded_text(std::string_view path);
/// Every embedded path, in the order of the build file.
const std::vector<std::string_view>& embedded_paths();

}  // namespace ${NAMESPACE}
")

set(arrays "")
set(cases "")
set(paths "")
set(number 0)
foreach(path IN LISTS FILES)
  file(READ "${BASE}/${path}" bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n${bytes}0};\n")
  string(APPEND cases "  if (path == \"${path}\") return {reinterpret_cast<const char*>(kFile${number}), ${size}};\n")
  string(APPEND paths "\n      \"${path}\",")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE "${SOURCE}" "#include \"${header_name}\"

namespace ${NAMESPACE} {
namespace {
${arrays}}  // namespace

std::string_view embedded_text(std::string_view path) {
${cases}  return {};
}

const std::vector<std::string_view>& embedded_paths() {
  static const std::vector<std::string_view> paths = {${paths}
  };
  return paths;
}

}  // namespace ${NAMESPACE}
")
