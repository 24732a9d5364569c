#include "codegen/llvm/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace matcha::codegen::jit {

namespace {

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

/// The build id in a segment of notes; empty if there is none.
std::string id_among(std::string_view notes) {
  ElfW(Nhdr) header;
  while (notes.size() >= sizeof(header)) {
    std::memcpy(&header, notes.data(), sizeof(header));
    const std::uint64_t begin = sizeof(header) + padded(header.n_namesz);
    const std::uint64_t end = begin + padded(header.n_descsz);
    if (end > notes.size()) break;
    const std::string_view name = notes.substr(sizeof(header), header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU", 4)) {
      return std::string(notes.substr(begin, header.n_descsz));
    }
    notes.remove_prefix(end);
  }
  return "";
}

struct Search {
  std::uint64_t address;  ///< An address inside the program or library.
  std::string id;
};

/// Callback of dl_iterate_phdr: examines one loaded file, and ends the iteration with 1 if it is the right one.
int look_at(struct dl_phdr_info* file, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool inside = false;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    const std::uint64_t begin = file->dlpi_addr + segment.p_vaddr;
    inside = inside || (segment.p_type == PT_LOAD && search.address - begin < segment.p_memsz);
  }
  if (!inside) return 0;
  for (int i = 0; i < file->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    search.id = id_among({reinterpret_cast<const char*>(file->dlpi_addr + segment.p_vaddr), segment.p_memsz});
  }
  return 1;
}

}  // namespace

std::string build_id() {
  static const std::string id = [] {
    Search search{reinterpret_cast<std::uint64_t>(&look_at), ""};
    ::dl_iterate_phdr(&look_at, &search);
    return search.id;
  }();
  return id;
}

}  // namespace matcha::codegen::jit
