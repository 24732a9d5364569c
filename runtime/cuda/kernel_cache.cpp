#include "runtime/cuda/kernel_cache.h"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

namespace matcha::runtime::cuda {

namespace {

/// The header of a cached file; the image follows.
struct ImageHeader {
  std::int32_t arch;
  std::int32_t is_ptx;
};

std::string file_of(const std::string& key) { return key + ".cubin"; }

std::string note_file(std::string_view subject) {
  const std::string_view parts[] = {"note", subject};
  return CodeCache::key(parts) + ".note";
}

void add_line(std::string& text, const std::string& line) {
  if (line.empty() || text == line) return;
  text += (text.empty() ? "" : "\n") + line;
}

}  // namespace

std::string KernelCache::key(const CompileRequest& request, const std::string& nvrtc_version) {
  const std::string arch = std::to_string(request.arch);
  std::vector<std::string_view> parts = {"kernel", MATCHA_VERSION, nvrtc_version, arch, request.name, request.source};
  parts.insert(parts.end(), request.options.begin(), request.options.end());
  return CodeCache::key(parts);
}

KernelCache::Found KernelCache::load(const std::string& key) const {
  CodeCache::Found kept = cache_.load(file_of(key));
  Found found;
  found.note = std::move(kept.note);
  ImageHeader header{};
  if (!kept.code || kept.code->size() < sizeof(header)) return found;
  std::memcpy(&header, kept.code->data(), sizeof(header));
  found.image.emplace();
  found.image->bytes = kept.code->substr(sizeof(header));
  found.image->is_ptx = header.is_ptx != 0;
  found.image->arch = header.arch;
  found.image->from_cache = true;
  return found;
}

std::string KernelCache::store(const std::string& key, const KernelImage& image) const {
  const ImageHeader header{image.arch, image.is_ptx ? 1 : 0};
  std::string code(sizeof(header), '\0');
  std::memcpy(code.data(), &header, sizeof(header));
  code += image.bytes;
  return cache_.store(file_of(key), code);
}

std::optional<std::string> KernelCache::note(std::string_view subject) const {
  return cache_.load(note_file(subject)).code;
}

void KernelCache::keep_note(std::string_view subject, std::string_view text) const {
  cache_.store(note_file(subject), text);
}

Result<KernelImage> compile_cached(const Nvrtc& nvrtc, const KernelCache& cache, const CompileRequest& request) {
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  const std::string key = KernelCache::key(request, nvrtc.version_text());
  KernelCache::Found kept = cache.load(key);
  if (kept.image) {
    kept.image->note = nvrtc.fallback_note(request.arch, kept.image->arch);
    kept.image->milliseconds = elapsed();
    return *std::move(kept.image);
  }
  Compilation made = MATCHA_TRY(nvrtc.compile(request));
  KernelImage image;
  image.is_ptx = made.cubin.empty();
  image.bytes = image.is_ptx ? made.ptx : made.cubin;
  image.arch = made.arch;
  image.note = made.note;
  std::string problem = std::move(kept.note);
  add_line(problem, cache.store(key, image));
  add_line(image.note, problem);
  image.milliseconds = elapsed();
  return image;
}

}  // namespace matcha::runtime::cuda
