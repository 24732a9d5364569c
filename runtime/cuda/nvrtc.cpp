#include "runtime/cuda/nvrtc.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace matcha::runtime::cuda {

namespace {

using NvrtcResult = int;
using NvrtcProgram = struct NvrtcProgramState*;

constexpr NvrtcResult kNvrtcOutOfMemory = 1;
constexpr const char* kNoNvrtcHint =
    "install the CUDA toolkit's NVRTC, name its file with MATCHA_NVRTC or its toolkit with CUDA_PATH, or run on the "
    "CPU "
    "with --device cpu";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// The library folders of toolkits.
std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const std::string& toolkit :
       {environment("CUDA_PATH"), environment("CUDA_HOME"), std::string("/usr/local/cuda")}) {
    if (toolkit.empty()) continue;
    folders.push_back(toolkit + "/lib64/");
    folders.push_back(toolkit + "/lib/");
  }
  return folders;
}

/// Arguments of dlopen to try, best first.
std::vector<std::string> candidates(const NvrtcSearch& search) {
  const std::string file = search.file.empty() ? environment("MATCHA_NVRTC") : search.file;
  if (!file.empty()) return {file};
  const std::vector<std::string> folders = toolkit_folders();
  std::vector<int> majors = {13, 12};
  if (search.preferred_major == 12) std::swap(majors[0], majors[1]);
  std::vector<std::string> paths;
  for (const int major : majors) {
    const std::string name = "libnvrtc.so." + std::to_string(major);
    paths.push_back(name);
    for (const std::string& folder : folders) paths.push_back(folder + name);
  }
  return paths;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

/// The text of a pair of calls: one for its size (with the terminating zero, for text) and one for its bytes.
template <typename Size, typename Get>
std::string fetch(NvrtcProgram program, Size size_of, Get get, bool is_text) {
  std::size_t size = 0;
  if (size_of(program, &size) != 0 || size == 0) return "";
  std::string bytes(size, '\0');
  if (get(program, bytes.data()) != 0) return "";
  while (is_text && !bytes.empty() && (bytes.back() == '\0' || bytes.back() == '\n')) bytes.pop_back();
  return bytes;
}

}  // namespace

struct Nvrtc::Table {
  const char* (*get_error_string)(NvrtcResult);
  NvrtcResult (*version)(int*, int*);
  NvrtcResult (*get_num_supported_archs)(int*);
  NvrtcResult (*get_supported_archs)(int*);
  NvrtcResult (*create_program)(NvrtcProgram*, const char* source, const char* name, int headers,
                                const char* const* header_texts, const char* const* header_names);
  NvrtcResult (*destroy_program)(NvrtcProgram*);
  NvrtcResult (*compile_program)(NvrtcProgram, int options, const char* const* texts);
  NvrtcResult (*get_ptx_size)(NvrtcProgram, std::size_t*);
  NvrtcResult (*get_ptx)(NvrtcProgram, char*);
  NvrtcResult (*get_cubin_size)(NvrtcProgram, std::size_t*);
  NvrtcResult (*get_cubin)(NvrtcProgram, char*);
  NvrtcResult (*get_program_log_size)(NvrtcProgram, std::size_t*);
  NvrtcResult (*get_program_log)(NvrtcProgram, char*);

  /// The first entry that the library lacks; null: none.
  const char* resolve(void* library) {
    const char* missing = nullptr;
    const auto find = [&](auto& entry, const char* symbol) {
      entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(::dlsym(library, symbol));
      if (entry == nullptr && missing == nullptr) missing = symbol;
    };
    find(get_error_string, "nvrtcGetErrorString");
    find(version, "nvrtcVersion");
    find(get_num_supported_archs, "nvrtcGetNumSupportedArchs");
    find(get_supported_archs, "nvrtcGetSupportedArchs");
    find(create_program, "nvrtcCreateProgram");
    find(destroy_program, "nvrtcDestroyProgram");
    find(compile_program, "nvrtcCompileProgram");
    find(get_ptx_size, "nvrtcGetPTXSize");
    find(get_ptx, "nvrtcGetPTX");
    find(get_cubin_size, "nvrtcGetCUBINSize");
    find(get_cubin, "nvrtcGetCUBIN");
    find(get_program_log_size, "nvrtcGetProgramLogSize");
    find(get_program_log, "nvrtcGetProgramLog");
    return missing;
  }
};

/// A program of the library, destroyed with its owner.
struct Nvrtc::Program {
  const Table& table;
  NvrtcProgram handle = nullptr;

  explicit Program(const Table& entries) : table(entries) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (handle != nullptr) table.destroy_program(&handle);
  }
};

Result<const Nvrtc*> Nvrtc::open(const NvrtcSearch& search) {
  std::string reasons;
  for (const std::string& path : candidates(search)) {
    Result<const Nvrtc*> found = load(path);
    if (found) return found;
    if (!reasons.empty()) reasons += "; ";
    reasons += found.error().message;
  }
  return Error{ErrorKind::Runtime, "no NVRTC: " + reasons, "", 0, kNoNvrtcHint};
}

Result<const Nvrtc*> Nvrtc::load(const std::string& library) {
  // Never destroyed: other objects of static storage may still compile at exit.
  static std::mutex& guard = *new std::mutex;
  static std::map<std::string, std::unique_ptr<Nvrtc>>& opened = *new std::map<std::string, std::unique_ptr<Nvrtc>>;
  const std::lock_guard<std::mutex> lock(guard);
  if (const auto known = opened.find(library); known != opened.end())
    return static_cast<const Nvrtc*>(known->second.get());

  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return Error{ErrorKind::Runtime, reason != nullptr ? reason : "`" + library + "` cannot be opened", "", 0, ""};
  }
  const std::shared_ptr<Table> table = std::make_shared<Table>();
  if (const char* missing = table->resolve(handle); missing != nullptr) {
    ::dlclose(handle);
    return Error{ErrorKind::Runtime, "`" + library + "` lacks `" + missing + "`", "", 0, ""};
  }
  std::unique_ptr<Nvrtc> nvrtc(new Nvrtc);
  Dl_info place{};
  const bool placed = ::dladdr(reinterpret_cast<void*>(table->version), &place) != 0;
  nvrtc->path_ = placed && place.dli_fname != nullptr ? place.dli_fname : library;
  nvrtc->table_ = table;
  if (Status started = nvrtc->start(); !started) return started.error();
  // The library loads its built-in functions by name alone, which fails outside the loader's folders; a library of that
  // name that is already loaded is found.
  const std::string builtins = "libnvrtc-builtins.so." + nvrtc->version_text();
  ::dlopen((folder_of(nvrtc->path_) + builtins).c_str(), RTLD_LAZY | RTLD_LOCAL);
  const Nvrtc* result = nvrtc.get();
  opened[library] = std::move(nvrtc);
  return result;
}

Status Nvrtc::start() {
  if (Status got = check(table_->version(&major_, &minor_), "nvrtcVersion"); !got) return got.error();
  int count = 0;
  if (Status got = check(table_->get_num_supported_archs(&count), "nvrtcGetNumSupportedArchs"); !got)
    return got.error();
  archs_.resize(static_cast<std::size_t>(count));
  if (Status got = check(table_->get_supported_archs(archs_.data()), "nvrtcGetSupportedArchs"); !got)
    return got.error();
  std::sort(archs_.begin(), archs_.end());
  return Done{};
}

Result<std::string> Nvrtc::device_runtime() const {
  constexpr const char* kFile = "libcudadevrt.a";
  const std::string named = environment("MATCHA_CUDADEVRT");
  std::vector<std::string> folders = {folder_of(path_), folder_of(path_) + "../../cuda_runtime/lib/"};
  for (const std::string& folder : toolkit_folders()) folders.push_back(folder);
  folders.insert(folders.end(), {"/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/"});
  std::vector<std::string> files;
  for (const std::string& folder : folders) files.push_back(folder + kFile);
  if (!named.empty()) files = {named};
  for (const std::string& file : files) {
    if (::access(file.c_str(), R_OK) == 0) return file;
  }
  std::string looked;
  for (const std::string& file : files) looked += (looked.empty() ? "`" : ", `") + file + "`";
  return Error{ErrorKind::Runtime,
               "kernels that start kernels are linked with the CUDA toolkit's `" + std::string(kFile) +
                   "`, and there is none: " + looked,
               "", 0, "name the file with MATCHA_CUDADEVRT or its toolkit with CUDA_PATH, or take --steal timeout"};
}

std::string Nvrtc::version_text() const { return std::to_string(major_) + "." + std::to_string(minor_); }

Status Nvrtc::check(int result, const char* symbol) const {
  if (result == 0) return Done{};
  return Error{result == kNvrtcOutOfMemory ? ErrorKind::Resource : ErrorKind::Runtime,
               std::string("`") + symbol + "` failed: " + table_->get_error_string(result), "", 0, ""};
}

std::string Nvrtc::fallback_note(int wanted, int arch) const {
  if (wanted == arch) return "";
  return "NVRTC " + version_text() + " does not know sm_" + std::to_string(wanted) +
         "; the driver compiles PTX for compute_" + std::to_string(arch);
}

Result<Compilation> Nvrtc::compile(const CompileRequest& request) const {
  const std::vector<int>::const_iterator above = std::upper_bound(archs_.begin(), archs_.end(), request.arch);
  if (above == archs_.begin()) {
    return Error{ErrorKind::Runtime,
                 "NVRTC " + version_text() + " cannot compile for sm_" + std::to_string(request.arch) +
                     (archs_.empty() ? "" : "; its oldest architecture is sm_" + std::to_string(archs_.front())),
                 "", 0, "name an older NVRTC with MATCHA_NVRTC, or run on the CPU with --device cpu"};
  }
  Compilation made;
  made.arch = *(above - 1);
  const bool known = made.arch == request.arch;
  made.note = fallback_note(request.arch, made.arch);
  const std::string target = (known ? "-arch=sm_" : "-arch=compute_") + std::to_string(made.arch);
  std::vector<const char*> options = {target.c_str()};
  // NVRTC's own cache, since 12.9, starts the driver, which takes 0.2 seconds.
  if (major_ > 12 || (major_ == 12 && minor_ >= 9)) options.push_back("--no-cache");
  for (const std::string& option : request.options) options.push_back(option.c_str());

  Program program(*table_);
  if (Status got = check(
          table_->create_program(&program.handle, request.source.c_str(), request.name.c_str(), 0, nullptr, nullptr),
          "nvrtcCreateProgram");
      !got) {
    return got.error();
  }
  const NvrtcResult outcome = table_->compile_program(program.handle, static_cast<int>(options.size()), options.data());
  made.log = fetch(program.handle, table_->get_program_log_size, table_->get_program_log, true);
  if (Status compiled = check(outcome, "nvrtcCompileProgram"); !compiled) {
    Error error = compiled.error();
    error.message = "`" + request.name + "` does not compile with NVRTC " + version_text() + " and " + target + "; " +
                    error.message + (made.log.empty() ? "" : "\n" + made.log);
    return error;
  }
  made.ptx = fetch(program.handle, table_->get_ptx_size, table_->get_ptx, true);
  if (known) made.cubin = fetch(program.handle, table_->get_cubin_size, table_->get_cubin, false);
  if (known ? made.cubin.empty() : made.ptx.empty()) {
    return Error{ErrorKind::Runtime, "NVRTC " + version_text() + " gave no code for `" + request.name + "`", "", 0, ""};
  }
  return made;
}

}  // namespace matcha::runtime::cuda
