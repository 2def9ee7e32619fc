#pragma once

#include <vector>

#include "sim/metrics/run_observer.h"

namespace rackwright::run {

/// Several observers as one; each is told everything, in the order given here.
class ObserverList final : public metrics::RunObserver {
 public:
  explicit ObserverList(std::vector<metrics::RunObserver*> observers) : observers_(std::move(observers)) {}

  void on_request(const metrics::RequestOutcome& request) override {
    for (metrics::RunObserver* observer : observers_) observer->on_request(request);
  }
  void on_stretch(const metrics::Stretch& stretch) override {
    for (metrics::RunObserver* observer : observers_) observer->on_stretch(stretch);
  }
  void on_token_gaps(const metrics::TokenGaps& gaps) override {
    for (metrics::RunObserver* observer : observers_) observer->on_token_gaps(gaps);
  }
  void on_powered(const metrics::PoweredInterval& interval) override {
    for (metrics::RunObserver* observer : observers_) observer->on_powered(interval);
  }
  void on_station_use(const metrics::StationUse& use) override {
    for (metrics::RunObserver* observer : observers_) observer->on_station_use(use);
  }
  void on_station_job(const metrics::StationJob& job) override {
    for (metrics::RunObserver* observer : observers_) observer->on_station_job(job);
  }

 private:
  std::vector<metrics::RunObserver*> observers_;
};

}  // namespace rackwright::run
