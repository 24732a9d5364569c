#include "tools/gpu_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "driver/compile.h"
#include "driver/gpu_options.h"
#include "tools/numbers.h"

namespace matcha::tools {

namespace {

using driver::GpuOption;

/// Numbers that are one of few.
CLI::Validator one_of(const GpuOption& row) { return CLI::IsMember(driver::words_of(row.shown)); }

CLI::Validator device_count() {
  const auto check = [](std::string& text) {
    return text == "0" ? std::string("there is no run on 0 GPUs") : std::string();
  };
  return CLI::Validator(check, "");
}

CLI::Option* add_option(CLI::App& verb, driver::GpuOptions& options, const GpuOption& row) {
  const std::string name = std::string("--") + row.name;
  if (row.takes == GpuOption::Takes::Flag) {
    return verb.add_flag_callback(
        name, [&options, &row] { row.set(options, "true"); }, row.text);
  }
  CLI::Option* const option = verb.add_option_function<std::string>(
      name,
      [&options, &row, name](const std::string& value) {
        if (!row.set(options, value)) throw CLI::ValidationError(name, "`" + value + "` is no value of it");
      },
      row.text);
  switch (row.takes) {
    case GpuOption::Takes::Flag: break;
    case GpuOption::Takes::Number:
      option->transform(whole_number(row.least, row.most));
      if (*row.shown != '\0') option->check(one_of(row));
      return option->type_name("N");
    case GpuOption::Takes::Words: return option->check(one_of(row))->option_text(row.shown);
    case GpuOption::Takes::Mib: return option->type_name("N");
    case GpuOption::Takes::Devices: return option->check(device_count())->type_name("N|all");
  }
  return option;
}

void add_options(CLI::App& verb, driver::GpuOptions& options, bool of_text) {
  for (const GpuOption& row : driver::gpu_options()) {
    if (row.of_text == of_text) add_option(verb, options, row)->group("GPU");
  }
}

}  // namespace

void add_gpu_text_options(CLI::App& verb, driver::GpuOptions& options) { add_options(verb, options, true); }

void add_gpu_options(CLI::App& verb, driver::GpuOptions& options) { add_options(verb, options, false); }

CLI::Option* add_gpus(CLI::App& verb, std::optional<std::uint32_t>& gpus) {
  const auto set = [&gpus](const std::string& value) {
    driver::GpuOptions options;
    const auto row = std::ranges::find_if(
        driver::gpu_options(), [](const GpuOption& option) { return option.takes == GpuOption::Takes::Devices; });
    if (!row->set(options, value)) {
      throw CLI::ValidationError("--gpus", "`" + value + "` is no number of GPUs, and not `all`");
    }
    gpus = options.gpus;
  };
  return verb
      .add_option_function<std::string>("--gpus", set, "GPUs that hold the graph and share the edges of a batch")
      ->check(device_count())
      ->type_name("N|all");
}

CLI::Option* add_load_cuda(CLI::App& verb, codegen::LoadedQuery& query) {
  return verb.add_option("--load-cuda", query.file, "Run this edited text of `build --emit=cuda --part query`")
      ->type_name("FILE")
      ->group("GPU");
}

Status read_query(codegen::LoadedQuery& query, const Console& console) {
  if (!query.is_there()) return Status::Ok;
  return read_program(query.file, nullptr, console, query.text);
}

Status check_gpu_options(const std::vector<std::string>& given, bool asked_for_cpu, const Console& console) {
  for (const char* option : {"--gpus", "--load-cuda"}) {
    if (std::find(given.begin(), given.end(), option) == given.end()) continue;
    if (asked_for_cpu) {
      return console.error(Status::Usage, fmt::format("`{}` is for GPUs, and the run is on the CPU", option),
                           "leave it out, or use --device cuda");
    }
    return console.error(Status::Run, fmt::format("`{}` asks for a GPU: {}", option, driver::gpu_problem()),
                         "leave it out to run on the CPU");
  }
  console.warning(
      fmt::format("`{}` {} nothing on the CPU", fmt::join(given, "`, `"), given.size() == 1 ? "does" : "do"),
      "`--device cuda` runs on a GPU or says why it cannot");
  return Status::Ok;
}

}  // namespace matcha::tools
