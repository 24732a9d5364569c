// NVRTC's entries, with a C++ compiler behind them.

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/emulation/image.h"

extern char** environ;

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidInput = 3;
constexpr int kCompilation = 6;

constexpr int kArchs[] = {80, 90, 100, 120};

struct Program {
  std::string source;
  std::string image;
  std::string ptx;
  std::string log;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The names of the kernels of a text.
std::vector<std::string> kernels(const std::string& source) {
  static const std::regex pattern(R"(__global__\s+void\s+(?:__launch_bounds__\([\d, ]+\)\s*)?(\w+)\s*\()");
  std::vector<std::string> names;
  for (std::sregex_iterator at(source.begin(), source.end(), pattern), end; at != end; ++at) names.push_back((*at)[1]);
  return names;
}

/// True if groups of the text's kernels have several lanes, or if all texts have to be compiled so.
bool has_wide_groups(const std::string& source) {
  if (std::getenv("MATCHA_EMULATED_WARPS") != nullptr) return true;
  static const std::regex pattern(R"(WorkerOf<Group<([2-9]|\d\d)>> w\()");
  return std::regex_search(source, pattern);
}

/// The compiler's exit status; its messages go to the file `log`.
int compile(bool warps, const std::string& source, const std::string& library, const std::string& log) {
  std::vector<std::string> words = {EMULATION_COMPILER,
                                    "-std=c++20",
                                    "-O1",
                                    "-w",
                                    "-fPIC",
                                    "-shared",
                                    "-I" EMULATION_ROOT,
                                    "-include",
                                    EMULATION_ROOT "/tests/emulation/device.h"};
  if (warps) words.push_back("-DMATCHA_EMULATED_WARPS");
#ifdef __SANITIZE_THREAD__
  words.push_back("-fsanitize=thread");
#endif
#ifdef __SANITIZE_ADDRESS__
  words.push_back("-fsanitize=address");
#endif
  words.insert(words.end(), {source, "-o", library});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // The compiler itself runs without the sanitizers that may be preloaded into this process.
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "LD_PRELOAD=", 11) != 0) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), 0x241 /* write, create, truncate */, 0600);
  pid_t child = 0;
  const int started = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  if (started != 0 || waitpid(child, &status, 0) != child) return -1;
  return status;
}

int copy_out(const std::string& text, bool closing_zero, std::size_t* size) {
  *size = text.size() + (closing_zero ? 1 : 0);
  return kSuccess;
}

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(int result) {
  return result == kSuccess        ? "NVRTC_SUCCESS"
         : result == kCompilation  ? "NVRTC_ERROR_COMPILATION"
         : result == kInvalidInput ? "NVRTC_ERROR_INVALID_INPUT"
                                   : "NVRTC_ERROR";
}
/// The minor version distinguishes compiled kernels of different emulations.
int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = EMULATION_VERSION;
  return kSuccess;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchs));
  return kSuccess;
}
int nvrtcGetSupportedArchs(int* archs) {
  std::memcpy(archs, kArchs, sizeof kArchs);
  return kSuccess;
}
int nvrtcCreateProgram(Program** program, const char* source, const char*, int headers, const char* const*,
                       const char* const*) {
  if (headers != 0) return kInvalidInput;
  *program = new Program{source, {}, "// emulated", {}};
  return kSuccess;
}
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return kSuccess;
}
int nvrtcCompileProgram(Program* program, int, const char* const*) {
  std::string folder = "/tmp/matcha-emulation-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return kInvalidInput;
  const std::string source = folder + "/kernel.cpp";
  const std::string library = folder + "/kernel.so";
  const std::string log = folder + "/log";
  {
    std::ofstream file(source);
    file << program->source << "\nusing namespace matcha_program;\n";
    for (const std::string& name : kernels(program->source)) file << "MATCHA_EMULATED_KERNEL(" << name << ")\n";
  }
  const int status = compile(has_wide_groups(program->source), source, library, log);
  program->log = read(log);
  const std::string code = read(library);
  for (const std::string& made : {source, library, log}) unlink(made.c_str());
  rmdir(folder.c_str());
  if (status != 0 || code.empty()) return kCompilation;
  matcha::emulation::ImageHeader header{};
  std::memcpy(header.magic, matcha::emulation::kImageMagic, sizeof header.magic);
  header.bytes = code.size();
  program->image.assign(reinterpret_cast<const char*>(&header), sizeof header);
  program->image += code;
  program->ptx = program->image + "// emulated";  // Text ends with no zero.
  return kSuccess;
}
int nvrtcGetPTXSize(Program* program, std::size_t* size) { return copy_out(program->ptx, true, size); }
int nvrtcGetPTX(Program* program, char* to) {
  std::memcpy(to, program->ptx.c_str(), program->ptx.size() + 1);
  return kSuccess;
}
int nvrtcGetCUBINSize(Program* program, std::size_t* size) { return copy_out(program->image, false, size); }
int nvrtcGetCUBIN(Program* program, char* to) {
  std::memcpy(to, program->image.data(), program->image.size());
  return kSuccess;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* size) { return copy_out(program->log, true, size); }
int nvrtcGetProgramLog(Program* program, char* to) {
  std::memcpy(to, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}

}  // extern "C"
