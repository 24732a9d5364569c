#include "incremental/gpu_opening.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "incremental/delta_count_text.h"
#include "session/gpu.h"

namespace matcha::session::stream {

namespace {

/// The number of threads that are opening a GPU.
std::atomic<int> openings{0};

}  // namespace

struct GpuOpening::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<runtime::Result<GpuCode>> found;
  std::atomic<bool> is_done{false};
};

GpuOpening::GpuOpening() : state_(std::make_shared<State>()) {}
GpuOpening::~GpuOpening() = default;

std::shared_ptr<GpuOpening> GpuOpening::begin(const std::string& code_folder) {
  if (!may_have_gpu()) return nullptr;
  auto opening = std::make_shared<GpuOpening>();
  ++openings;
  try {
    std::thread([state = opening->state_, code_folder]() mutable {
      runtime::Result<GpuCode> found = open_gpu_code(delta_count_text(), "delta_count.cu", code_folder);
      {
        const std::lock_guard<std::mutex> lock(state->mutex);
        state->found.emplace(std::move(found));
        state->is_done.store(true);
      }
      state->changed.notify_all();
      // An unused result is freed before the process may end normally.
      state.reset();
      --openings;
    }).detach();
  } catch (const std::system_error&) {
    --openings;
    return nullptr;
  }
  return opening;
}

bool GpuOpening::is_any_under_way() { return openings.load() != 0; }

bool GpuOpening::is_done() const { return state_->is_done.load(); }

runtime::Result<GpuCode> GpuOpening::take() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->found.has_value(); });
  return std::move(*state_->found);
}

}  // namespace matcha::session::stream
