#include <fmt/format.h>

#include <system_error>
#include <type_traits>
#include <utility>

#include "models/base/invariant.h"
#include "scenarios/results/run_folder.h"
#include "scenarios/results/summary_json.h"

namespace rackwright::results {
namespace {

namespace fs = std::filesystem;
using OnRequests = std::function<void(const RunDescription&, std::span<const RequestOutcome>)>;

void take(RunRecord& record, StreamRecord&& part, const OnRequests& on_requests) {
  std::visit(
      [&](auto&& value) {
        using Part = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Part, RunDescription>) {
          record.run = std::move(value);
        } else if constexpr (std::is_same_v<Part, LiveSample>) {
          record.samples.push_back(std::move(value));
        } else if constexpr (std::is_same_v<Part, std::vector<RequestOutcome>>) {
          record.requests += static_cast<std::int64_t>(value.size());
          if (on_requests) on_requests(record.run, value);
        } else if constexpr (std::is_same_v<Part, Timeline>) {
          record.timeline = std::move(value);
        } else if constexpr (std::is_same_v<Part, DurationCurve>) {
          record.curves.push_back(std::move(value));
        } else if constexpr (std::is_same_v<Part, StreamEnd>) {
          record.summary = parse_summary(value.summary_json);
        }
      },
      std::move(part));
}

}  // namespace

std::optional<RunRecord> read_run(const fs::path& folder_or_stream, Diagnostics& diagnostics,
                                  const OnRequests& on_requests) {
  std::error_code none;
  const auto refuse = [&](std::string what) {
    diagnostics.error({folder_or_stream.string()}, "", std::move(what));
    return std::nullopt;
  };
  if (!fs::exists(folder_or_stream, none)) return refuse("there is no such run");
  const bool folder = fs::is_directory(folder_or_stream, none);
  const fs::path path = folder ? folder_or_stream / "run.pb" : folder_or_stream;
  if (folder && !fs::exists(path, none)) return refuse("the folder holds no run: it has no run.pb");
  RunStreamReader reader(path);
  RunRecord record;
  bool any = false;
  try {
    while (auto part = reader.next()) {
      take(record, std::move(*part), on_requests);
      any = true;
    }
  } catch (const DamagedStream& damage) {
    if (!any) return refuse(damage.what());
    record.partial_reason = damage.what();
  }
  if (!any) return refuse("the stream holds no whole record");
  if (!reader.ended() && record.partial_reason.empty()) {
    record.partial_reason = fmt::format(
        "the stream has no end: the run was interrupted, or goes on; {} requests had left by then", record.requests);
  } else if (record.summary && record.summary->status != RunStatus::complete) {
    record.partial_reason = record.summary->status_reason.empty() ? "the run was cancelled" : record.summary->status_reason;
  }
  return record;
}

}  // namespace rackwright::results
