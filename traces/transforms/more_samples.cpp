#include <utility>

#include "models/base/invariant.h"
#include "traces/transforms/transforms.h"

namespace rackwright::traces {
namespace {

class Sampled final : public RequestSource {
 public:
  Sampled(Requests source, std::int32_t count) : source_(std::move(source)), others_(static_cast<std::size_t>(count - 1)) {
    invariant(count >= 1, "a request has a completion");
  }

  bool next(Request& request) override {
    if (!source_->next(request)) return false;
    request.other_samples.assign(others_, request.output_tokens);
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return source_->name(id); }
  std::optional<std::uint64_t> size() const override { return source_->size(); }

 private:
  Requests source_;
  std::size_t others_;
};

}  // namespace

Requests more_samples(Requests source, std::int32_t count) { return std::make_unique<Sampled>(std::move(source), count); }

}  // namespace rackwright::traces
