#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/tokens.h"

namespace matcha::runtime::detail {

namespace {

struct CloseArchive {
  void operator()(archive* open) const { archive_read_free(open); }
};

/// True for files that accompany a table: descriptions, licences, files of a desktop.
bool is_beside(const std::string& path) {
  const std::string name = lower_case(path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1));
  if (path.starts_with("__MACOSX/") || name.empty() || name.front() == '.') return true;
  for (const char* const begin : {"readme", "license", "licence", "copying", "meta.", "ent."}) {
    if (name.starts_with(begin)) return true;
  }
  return name.ends_with(".html") || name.ends_with(".md") || name.ends_with(".pdf");
}

/// Unpacks the only table of a `.zip` or `.tar`.
class ArchiveUnpacker final : public Unpacker {
 public:
  /// `maybe_outer` provides the bytes of the archive; null: they are `bytes`.
  ArchiveUnpacker(std::unique_ptr<Unpacker> maybe_outer, std::string_view bytes, std::string path)
      : outer_(std::move(maybe_outer)), bytes_(bytes), path_(std::move(path)), archive_(archive_read_new()) {
    if (archive_ == nullptr) throw std::bad_alloc();
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_zip(archive_.get());
    archive_read_set_callback_data(archive_.get(), this);
    archive_read_set_read_callback(archive_.get(), &ArchiveUnpacker::read_block);
  }

  Result<std::uint64_t> read(char* out, std::uint64_t room) override {
    if (!begun_) {
      begun_ = true;
      // A zip archive has its directory at the end, so it needs random access.
      const int opened = outer_ != nullptr ? archive_read_open1(archive_.get())
                                           : archive_read_open_memory(archive_.get(), bytes_.data(), bytes_.size());
      if (opened != ARCHIVE_OK) return failure();
      MATCHA_TRY(next_table());
      if (table_.empty()) {
        return input_error(path_, 0, "the archive has no table", "unpack it, and give the file that has the edges");
      }
    }
    std::uint64_t done = 0;
    while (done < room && !finished_) {
      const la_ssize_t got = archive_read_data(archive_.get(), out + done, room - done);
      if (got < 0) return failure();
      done += static_cast<std::uint64_t>(got);
      if (got != 0) continue;
      finished_ = true;
      const std::string first = table_;
      MATCHA_TRY(next_table());
      if (table_ != first) {
        return input_error(path_, 0, "the archive has several tables: " + quote(first) + " and " + quote(table_),
                           "unpack it, and give the file that has the edges");
      }
    }
    return done;
  }

  std::uint64_t consumed() const override {
    if (outer_ != nullptr) return outer_->consumed();
    const la_int64_t taken = archive_filter_bytes(archive_.get(), 0);
    return std::min<std::uint64_t>(bytes_.size(), static_cast<std::uint64_t>(std::max<la_int64_t>(taken, 0)));
  }

 private:
  static la_ssize_t read_block(archive* open, void* self, const void** block) {
    ArchiveUnpacker& me = *static_cast<ArchiveUnpacker*>(self);
    constexpr std::size_t kBlock = std::size_t{1} << 18;
    me.block_.resize(kBlock);
    Result<std::uint64_t> got = me.outer_->read(me.block_.data(), kBlock);
    if (!got) {
      me.outer_error_ = std::move(got.error());
      archive_set_error(open, EIO, "unpacking");
      return -1;
    }
    *block = me.block_.data();
    return static_cast<la_ssize_t>(*got);
  }

  /// Moves to the next table, if any, and writes its name to `table_`.
  Status next_table() {
    while (true) {
      archive_entry* entry = nullptr;
      const int state = archive_read_next_header(archive_.get(), &entry);
      if (state == ARCHIVE_EOF) return Done{};
      if (state != ARCHIVE_OK && state != ARCHIVE_WARN) return failure();
      const char* const name = archive_entry_pathname(entry);
      if (archive_entry_filetype(entry) != AE_IFREG || name == nullptr || is_beside(name)) continue;
      if (archive_entry_is_encrypted(entry) != 0) {
        return input_error(path_, 0, "the archive is encrypted", "unpack it");
      }
      table_ = name;
      return Done{};
    }
  }

  Error failure() {
    if (outer_error_) return *outer_error_;
    const char* const reason = archive_error_string(archive_.get());
    return input_error(path_, 0, std::string("the archive is corrupt: ") + (reason != nullptr ? reason : "bad data"),
                       "fetch it again");
  }

  std::unique_ptr<Unpacker> outer_;
  std::string_view bytes_;
  std::string path_;
  std::unique_ptr<archive, CloseArchive> archive_;
  std::optional<Error> outer_error_;
  std::string block_;
  std::string table_;
  bool begun_ = false;
  bool finished_ = false;
};

}  // namespace

bool is_tar(std::string_view head) {
  constexpr std::size_t kMagicAt = 257;
  constexpr std::string_view kMagic = "ustar";
  return head.size() >= kMagicAt + kMagic.size() && head.substr(kMagicAt, kMagic.size()) == kMagic;
}

bool is_zip(std::string_view head) { return head.starts_with(std::string_view("PK\x03\x04", 4)); }

std::unique_ptr<Unpacker> make_archive_unpacker(std::unique_ptr<Unpacker> maybe_outer, std::string_view bytes,
                                                const std::string& path) {
  return std::make_unique<ArchiveUnpacker>(std::move(maybe_outer), bytes, path);
}

}  // namespace matcha::runtime::detail
