#include "sim/cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/numbers.h"

namespace rackwright::cli {
namespace {

using namespace std::chrono_literals;

/// Seconds of the host until the end, if the rest goes as the part before it.
std::optional<double> seconds_left(const Progress& progress, double elapsed_s) {
  const std::optional<double> fraction = progress.fraction();
  if (!fraction || *fraction < 0.01) return std::nullopt;
  return elapsed_s * (1 - *fraction) / *fraction;
}

}  // namespace

std::optional<double> Progress::fraction() const {
  std::optional<double> fraction;
  if (requests_total && *requests_total > 0) {
    fraction = static_cast<double>(requests_done) / static_cast<double>(*requests_total);
  } else if (last_arrival && last_arrival->ps > 0) {
    fraction = static_cast<double>(now.ps) / static_cast<double>(last_arrival->ps);
  }
  if (fraction) fraction = std::clamp(*fraction, 0.0, 1.0);
  return fraction;
}

ProgressLine::ProgressLine(Console& console)
    : err_(console.err()),
      mode_(console.progress()),
      redraws_(mode_ == ProgressMode::plain && console.err_terminal().interactive),
      began_(Clock::now()),
      next_(began_ + (mode_ == ProgressMode::json ? 0ms : 200ms)) {}

ProgressLine::~ProgressLine() {
  if (redraws_ && drawn_) err_ << "\r\x1b[K" << std::flush;
}

void ProgressLine::update(const Progress& progress) {
  if (mode_ == ProgressMode::none) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  const double elapsed_s = std::chrono::duration<double>(now - began_).count();
  if (mode_ == ProgressMode::json) {
    err_ << json(progress, elapsed_s) << '\n' << std::flush;
    next_ = now + 200ms;
  } else if (redraws_) {
    err_ << '\r' << text(progress, elapsed_s) << "\x1b[K" << std::flush;
    next_ = now + 100ms;
  } else {
    err_ << text(progress, elapsed_s) << '\n' << std::flush;
    next_ = now + 5s;
  }
  drawn_ = true;
}

std::string ProgressLine::text(const Progress& progress, double elapsed_s) const {
  std::string text = report::duration(progress.now.seconds()) + " simulated, " + report::grouped(progress.requests_done);
  if (progress.requests_total) text += " of " + report::grouped(*progress.requests_total);
  text += " requests";
  if (const auto fraction = progress.fraction()) text = fmt::format("{:3.0f} %  {}", *fraction * 100, text);
  if (const auto left = seconds_left(progress, elapsed_s)) text += ", about " + report::duration(*left) + " left";
  return text;
}

std::string ProgressLine::json(const Progress& progress, double elapsed_s) const {
  std::string text =
      fmt::format(R"({{"sim_time_s": {}, "requests_done": {})", progress.now.seconds(), progress.requests_done);
  if (progress.requests_total) text += fmt::format(R"(, "requests_total": {})", *progress.requests_total);
  if (const auto fraction = progress.fraction()) text += fmt::format(R"(, "fraction": {:.4f})", *fraction);
  text += fmt::format(R"(, "elapsed_s": {:.3f})", elapsed_s);
  if (const auto left = seconds_left(progress, elapsed_s)) text += fmt::format(R"(, "left_s": {:.3f})", *left);
  return text + "}";
}

}  // namespace rackwright::cli
