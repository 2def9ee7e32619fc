#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "models/base/invariant.h"
#include "traces/readers/arrival_order.h"
#include "traces/readers/packed_row.h"

namespace rackwright::traces {
namespace {

/// A sorted run in a file without a name.
class Run {
 public:
  Run() : file_(std::tmpfile(), std::fclose) {
    if (!file_) fail("opened");
  }

  void write(const CleanRow& row) {
    const PackedRow packed = pack(row);
    words_of(row, words_);
    if (std::fwrite(&packed, sizeof packed, 1, file_.get()) != 1) fail("written");
    if (words_.empty()) return;  // fwrite takes no null, not even for nothing.
    if (std::fwrite(words_.data(), sizeof(std::uint64_t), words_.size(), file_.get()) != words_.size()) fail("written");
  }
  void rewind() {
    if (std::fflush(file_.get()) != 0) fail("written");
    std::rewind(file_.get());
  }
  bool read(CleanRow& row) {
    PackedRow packed;
    if (std::fread(&packed, sizeof packed, 1, file_.get()) != 1) {
      if (std::ferror(file_.get())) fail("read");
      return false;
    }
    unpack(packed, row);
    words_.resize(packed.words());
    if (!words_.empty() && std::fread(words_.data(), sizeof(std::uint64_t), words_.size(), file_.get()) != words_.size()) fail("read");
    take_words(words_, packed, row);
    return true;
  }

 private:
  [[noreturn]] static void fail(std::string_view what) {
    throw EnvironmentError(fmt::format("A temporary file for sorting cannot be {}: {}", what, std::strerror(errno)));
  }

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<std::uint64_t> words_;  ///< Of one row; kept to save its allocation.
};

class OrderThroughFiles final : public ArrivalOrder {
  auto later() const {
    return [this](std::size_t a, std::size_t b) { return arrives_before(rows_[b], rows_[a]); };
  }

 public:
  explicit OrderThroughFiles(std::size_t run_rows) : run_rows_(run_rows) {}

  void push(CleanRow&& row) override {
    rows_.push_back(std::move(row));
    if (rows_.size() == run_rows_) spill();
  }
  void close() override {
    spill();
    rows_.clear();
    rows_.resize(runs_.size());
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      runs_[run].rewind();
      refill(run);
    }
    closed_ = true;
  }
  bool pop(CleanRow& row) override {
    if (!closed_ || heap_.empty()) return false;
    std::ranges::pop_heap(heap_, later());
    const std::size_t run = heap_.back();
    heap_.pop_back();
    std::swap(row, rows_[run]);
    refill(run);
    return true;
  }

 private:
  void spill() {
    if (rows_.empty()) return;
    std::ranges::sort(rows_, arrives_before);
    Run& run = runs_.emplace_back();
    for (const CleanRow& row : rows_) run.write(row);
    rows_.clear();
  }
  void refill(std::size_t run) {
    if (!runs_[run].read(rows_[run])) return;
    heap_.push_back(run);
    std::ranges::push_heap(heap_, later());
  }

  std::size_t run_rows_;
  bool closed_ = false;
  std::vector<Run> runs_;
  std::vector<CleanRow> rows_;     ///< The run being filled; after `close`, the head of each run.
  std::vector<std::size_t> heap_;  ///< Runs, the one with the earliest head first.
};

}  // namespace

std::unique_ptr<ArrivalOrder> order_through_files(std::size_t run_rows) { return std::make_unique<OrderThroughFiles>(run_rows); }

}  // namespace rackwright::traces
