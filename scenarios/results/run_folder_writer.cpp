#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "models/base/invariant.h"
#include "scenarios/results/run_folder.h"
#include "scenarios/results/summary_json.h"
#include "scenarios/results/timeline_csv.h"

namespace rackwright::results {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";

fs::path with_suffix(const fs::path& folder, const std::string& suffix) {
  fs::path path = folder;
  path += suffix;
  return path;
}

fs::path without_slash(const fs::path& folder) { return folder.has_filename() ? folder : folder.parent_path(); }

[[noreturn]] void fail(std::string_view what, const fs::path& path, const std::error_code& reason) {
  throw EnvironmentError(fmt::format("{}: {} ({})", what, reason.message(), path.string()));
}

bool is_run_folder(const fs::path& folder) {
  std::error_code none;
  return fs::is_directory(folder, none) && (fs::exists(folder / "run.pb", none) || fs::is_empty(folder, none));
}

/// Whether the final name may be given, asked before the run and again when it has ended.
void check_name(const fs::path& folder, ExistingFolder existing) {
  if (!is_taken(folder)) return;
  if (existing != ExistingFolder::replace) {
    throw EnvironmentError(fmt::format("the name of the run folder is taken ({})", folder.string()));
  }
  if (!is_run_folder(folder)) {
    throw EnvironmentError(fmt::format("only a run folder is replaced, and this is none ({})", folder.string()));
  }
}

/// The lock of a partial folder, which is created, or -1 when a live process holds it.
int lock_of(const fs::path& partial) {
  std::error_code error;
  fs::create_directories(partial, error);
  if (error) fail("the run folder cannot be created", partial, error);
  const int descriptor = ::open((partial / lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == ENOENT) return -1;  // Another run has given the folder its final name just now.
  if (descriptor < 0) fail("the run folder cannot be written", partial, {errno, std::generic_category()});
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

void clear(const fs::path& partial) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(partial, error)) {
    if (entry.path().filename() != lock_name) fs::remove_all(entry.path(), error);
    if (error) fail("what an earlier run left cannot be removed", entry.path(), error);
  }
}

}  // namespace

bool is_taken(const fs::path& folder) {
  std::error_code none;
  const fs::path name = without_slash(folder);
  if (!fs::exists(fs::symlink_status(name, none))) return false;
  return !(fs::is_directory(name, none) && fs::is_empty(name, none));
}

RunFolderWriter::Claim RunFolderWriter::claim(const fs::path& folder, ExistingFolder existing) {
  const fs::path name = without_slash(folder);
  if (existing == ExistingFolder::number) return claim_number(name);
  check_name(name, existing);
  const fs::path partial = with_suffix(name, ".partial");
  const int lock = lock_of(partial);
  if (lock < 0) throw EnvironmentError(fmt::format("another run is writing to the same folder ({})", partial.string()));
  clear(partial);
  return {name, partial, lock};
}

// A run gives its folder the final name while it holds the lock: who has the lock and finds the name free keeps both.
RunFolderWriter::Claim RunFolderWriter::claim_number(const fs::path& folder) {
  for (int n = 1;; ++n) {
    const fs::path name = n == 1 ? folder : with_suffix(folder, fmt::format("-{}", n));
    if (is_taken(name)) continue;
    const fs::path partial = with_suffix(name, ".partial");
    const int lock = lock_of(partial);
    if (lock < 0) continue;
    if (!is_taken(name)) {
      clear(partial);
      return {name, partial, lock};
    }
    std::error_code ignored;  // Another run may have taken it away, or be in it now.
    fs::remove(partial / lock_name, ignored);
    fs::remove(partial, ignored);
    ::close(lock);
  }
}

RunFolderWriter::RunFolderWriter(fs::path folder, ExistingFolder existing, const RunDescription& run)
    : RunFolderWriter(claim(folder, existing), existing, run) {}

RunFolderWriter::RunFolderWriter(Claim claim, ExistingFolder existing, const RunDescription& run)
    : folder_(std::move(claim.folder)), partial_(std::move(claim.partial)), existing_(existing), lock_(claim.lock), rows_(run),
      requests_(partial_ / "requests.csv"), stream_(partial_ / "run.pb", run) {
  requests_.write(RequestsCsv::header());
  write_file(partial_ / "scenario.resolved.yaml", run.resolved_scenario);
}

RunFolderWriter::~RunFolderWriter() { ::close(lock_); }

void RunFolderWriter::add(const RequestOutcome& request) {
  rows_.append(requests_.buffer(), request);
  requests_.drain();
  stream_.add(request);
}

StepsWriter& RunFolderWriter::keep_steps(std::uint32_t instances) {
  steps_ = std::make_unique<StepsWriter>(partial_ / "steps.pb", instances);
  return *steps_;
}

void RunFolderWriter::finish(const RunResults& results, const std::string& report_html) {
  write_rest(results, report_html);
  take_final_name();
  remove_lock(folder_);
}

void RunFolderWriter::keep_partial(const RunResults& results, const std::string& report_html) {
  write_rest(results, report_html);
  remove_lock(partial_);
}

void RunFolderWriter::write_rest(const RunResults& results, const std::string& report_html) {
  requests_.close();
  if (steps_) steps_->end();
  const std::string summary = to_json(results.summary);
  for (const DurationCurve& curve : results.curves) stream_.add(curve);
  for (const std::string& warning : results.summary.warnings) stream_.add(StreamWarning{warning});
  stream_.add(results.timeline);
  stream_.end(summary);
  write_file(partial_ / "timeline.csv", to_csv(results.timeline));
  write_file(partial_ / "summary.json", summary);
  write_file(partial_ / "report.html", report_html);
}

void RunFolderWriter::remove_lock(const fs::path& folder) const {
  std::error_code error;
  fs::remove(folder / lock_name, error);
  if (error) fail("the run folder cannot be finished", folder, error);
}

void RunFolderWriter::take_final_name() const {
  std::error_code error;
  if (!is_taken(folder_)) {
    fs::rename(partial_, folder_, error);  // Also over an empty folder.
    if (error) fail("the run folder cannot be given its name", folder_, error);
    return;
  }
  check_name(folder_, existing_);
  const fs::path old = with_suffix(folder_, ".old");
  fs::remove_all(old, error);
  fs::rename(folder_, old, error);
  if (error) fail("the earlier run folder cannot be replaced", folder_, error);
  fs::rename(partial_, folder_, error);
  if (error) {
    std::error_code ignored;  // The first failure is the one to tell.
    fs::rename(old, folder_, ignored);
    fail("the run folder cannot be given its name", folder_, error);
  }
  fs::remove_all(old, error);
  if (error) fail("the earlier run folder cannot be removed", old, error);
}

}  // namespace rackwright::results
