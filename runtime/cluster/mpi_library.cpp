#include "runtime/cluster/mpi_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace matcha::runtime::cluster {

namespace {

constexpr int kSuccess = 0;
constexpr int kThreadSerialized = 2;
/// Room for texts of a library; none is longer than 8 KiB.
constexpr std::size_t kTextBytes = 16384;

Error no_library(std::string message) {
  return Error{ErrorKind::Runtime, std::move(message), "", 0,
               "install Open MPI or MPICH, or name its library in MATCHA_LIBMPI; without MPI: --work DIR"};
}

/// The handles and constants of a library. Open MPI's handles are addresses of its objects, MPICH's are numbers.
template <typename Handle>
struct Abi {
  Handle world, byte, errors_return;
  int any_source = 0;
  void* ignored_status = nullptr;
};

using OpenMpiAbi = Abi<void*>;
using MpichAbi = Abi<int>;

/// Constants of MPICH's ABI initiative of 2013, shared by Intel MPI, MVAPICH and Cray MPICH.
MpichAbi mpich_abi() { return {0x44000000, 0x4c00010d, 0x54000001, -2, reinterpret_cast<void*>(std::uintptr_t{1})}; }

/// Null handles: the library has no such objects.
OpenMpiAbi open_mpi_abi(void* library) {
  return {::dlsym(library, "ompi_mpi_comm_world"), ::dlsym(library, "ompi_mpi_byte"),
          ::dlsym(library, "ompi_mpi_errors_return"), -1, nullptr};
}

/// The calls of a library with handles of a type.
template <typename Handle>
class Calls final : public MpiLibrary {
 public:
  explicit Calls(Abi<Handle> abi) : abi_(abi) {}

  Status resolve(void* library, const std::string& file) {
    const char* missing = nullptr;
    const auto entry = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      if (function == nullptr) missing = name;
    };
    entry("MPI_Init_thread", init_thread_);
    entry("MPI_Finalize", finalize_);
    entry("MPI_Abort", abort_);
    entry("MPI_Comm_rank", comm_rank_);
    entry("MPI_Comm_size", comm_size_);
    entry("MPI_Comm_set_errhandler", set_errhandler_);
    entry("MPI_Error_string", error_string_);
    entry("MPI_Send", send_);
    entry("MPI_Recv", recv_);
    entry("MPI_Iprobe", iprobe_);
    if (missing == nullptr) return Done{};
    return no_library("`" + file + "` is no MPI that Matcha can use: it lacks `" + missing + "`");
  }

  Status join(std::string version) {
    version_ = std::move(version);
    int provided = 0;
    if (Status did = check(init_thread_(nullptr, nullptr, kThreadSerialized, &provided), "MPI_Init_thread"); !did) {
      return did;
    }
    if (provided < kThreadSerialized) {
      return Error{ErrorKind::Runtime, "the MPI library (" + version_ + ") is not for programs with threads", "", 0,
                   "it gives less than MPI_THREAD_SERIALIZED; use one that was built with threads"};
    }
    if (Status did = check(set_errhandler_(abi_.world, abi_.errors_return), "MPI_Comm_set_errhandler"); !did) {
      return did;
    }
    if (Status did = check(comm_rank_(abi_.world, &rank_), "MPI_Comm_rank"); !did) return did;
    return check(comm_size_(abi_.world, &size_), "MPI_Comm_size");
  }

  Status send(int to, int tag, const void* bytes, std::size_t size) override {
    return check(send_(bytes, static_cast<int>(size), abi_.byte, to, tag, abi_.world), "MPI_Send");
  }
  Result<bool> is_there(int tag) override {
    int flag = 0;
    if (Status did = check(iprobe_(abi_.any_source, tag, abi_.world, &flag, abi_.ignored_status), "MPI_Iprobe"); !did) {
      return did.error();
    }
    return flag != 0;
  }
  Status receive(int from, int tag, void* bytes, std::size_t size) override {
    const int source = from == kAnyRank ? abi_.any_source : from;
    return check(recv_(bytes, static_cast<int>(size), abi_.byte, source, tag, abi_.world, abi_.ignored_status),
                 "MPI_Recv");
  }
  Status leave() override { return check(finalize_(), "MPI_Finalize"); }
  void abort(int code) override { abort_(abi_.world, code); }

 private:
  Status check(int code, const char* call) const {
    if (code == kSuccess) return Done{};
    std::vector<char> text(kTextBytes, '\0');
    int length = 0;
    if (error_string_(code, text.data(), &length) != kSuccess) text[0] = '\0';
    return Error{ErrorKind::Runtime, "`" + std::string(call) + "` failed: " + text.data(), "", 0, ""};
  }

  const Abi<Handle> abi_;
  int (*init_thread_)(int*, char***, int, int*) = nullptr;
  int (*finalize_)() = nullptr;
  int (*abort_)(Handle, int) = nullptr;
  int (*comm_rank_)(Handle, int*) = nullptr;
  int (*comm_size_)(Handle, int*) = nullptr;
  int (*set_errhandler_)(Handle, Handle) = nullptr;
  int (*error_string_)(int, char*, int*) = nullptr;
  int (*send_)(const void*, int, Handle, int, int, Handle) = nullptr;
  int (*recv_)(void*, int, Handle, int, int, Handle, void*) = nullptr;
  int (*iprobe_)(int, int, Handle, int*, void*) = nullptr;
};

template <typename Handle>
Result<std::unique_ptr<MpiLibrary>> joined(void* library, const std::string& file, std::string version,
                                           Abi<Handle> abi) {
  std::unique_ptr<Calls<Handle>> calls = std::make_unique<Calls<Handle>>(abi);
  if (Status did = calls->resolve(library, file); !did) return did.error();
  if (Status did = calls->join(std::move(version)); !did) return did.error();
  return std::unique_ptr<MpiLibrary>(std::move(calls));
}

bool has(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// The value of the first of these variables that is set; 0: none is.
int first_number(std::initializer_list<const char*> variables) {
  for (const char* variable : variables) {
    if (has(variable)) return std::atoi(std::getenv(variable));
  }
  return 0;
}

/// Library files to try, in this order.
std::vector<std::string> candidates() {
  if (has("MATCHA_LIBMPI")) return {std::getenv("MATCHA_LIBMPI")};
  const std::vector<std::string> open_mpi = {"libmpi.so.40", "libmpi.so.80"};
  const std::vector<std::string> mpich = {"libmpich.so.12", "libmpi.so.12"};
  std::vector<std::string> files = open_mpi;
  // Hydra, and Slurm with its PMI interface, start MPICH.
  const bool mpich_first = !has("OMPI_COMM_WORLD_SIZE") && has("PMI_RANK");
  files.insert(mpich_first ? files.begin() : files.end(), mpich.begin(), mpich.end());
  files.emplace_back("libmpi.so");
  return files;
}

std::string first_line(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

bool is_mpich(std::string_view version) {
  for (const std::string_view kin : {"MPICH", "Intel(R) MPI", "MVAPICH"}) {
    if (version.find(kin) != std::string_view::npos) return true;
  }
  return false;
}

Result<std::unique_ptr<MpiLibrary>> join(void* library, const std::string& file) {
  const auto get_version = reinterpret_cast<int (*)(char*, int*)>(::dlsym(library, "MPI_Get_library_version"));
  if (get_version == nullptr) return no_library("`" + file + "` is no MPI that Matcha can use: it is older than MPI 3");
  std::vector<char> text(kTextBytes, '\0');
  int length = 0;
  get_version(text.data(), &length);
  const std::string version = first_line(text.data());
  if (is_mpich(version)) return joined(library, file, version, mpich_abi());
  const OpenMpiAbi abi = open_mpi_abi(library);
  if (version.find("Open MPI") != std::string::npos && abi.world != nullptr && abi.byte != nullptr &&
      abi.errors_return != nullptr) {
    return joined(library, file, version, abi);
  }
  return no_library("`" + file + "` is an MPI whose binary interface is not known: " + version);
}

}  // namespace

// In this order: mpirun under Slurm keeps Slurm's variables.
int launched_ranks() { return first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}); }
int launched_rank() { return first_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}); }
int launched_local_rank() { return first_number({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}); }

Result<std::unique_ptr<MpiLibrary>> MpiLibrary::open() {
  std::string reasons;
  for (const std::string& file : candidates()) {
    // Open MPI's plugins look up its symbols in the global namespace of the process.
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      const char* const reason = ::dlerror();
      reasons += std::string(reasons.empty() ? "" : "; ") + (reason != nullptr ? reason : file.c_str());
      continue;
    }
    Result<std::unique_ptr<MpiLibrary>> world = join(library, file);
    if (world && (*world)->size() == 1 && launched_ranks() > 1) {
      const std::string version = (*world)->version();
      (void)(*world)->leave();
      return Error{ErrorKind::Runtime,
                   "this process was launched as one of " + std::to_string(launched_ranks()) +
                       ", but finds itself alone with " + version,
                   "", 0, "name the launcher's library in MATCHA_LIBMPI, or launch with the mpirun of this one"};
    }
    return world;
  }
  return no_library("no MPI library can be opened: " + reasons);
}

}  // namespace matcha::runtime::cluster
