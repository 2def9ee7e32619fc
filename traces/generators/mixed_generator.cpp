#include "traces/generators/mixed_generator.h"

#include <utility>
#include <vector>

#include "traces/records/string_table.h"

namespace rackwright::traces {
namespace {

class MixedGenerator final : public RequestSource {
 public:
  MixedGenerator(const GeneratorSpec& spec, std::uint64_t seed) : count_(spec.count), end_(spec.duration.value_or(SimTime::max())) {
    for (const GeneratorSpec& part : spec.mix) {
      Part& added = parts_.emplace_back();
      added.source = make_generator(part, seed);
      added.model = names_.id(part.model);
      added.request_class = names_.id(part.request_class);
      advance(added);
    }
  }

  bool next(Request& request) override {
    if (count_ && given_ == *count_) return false;
    Part* first = nullptr;
    for (Part& part : parts_)
      if (part.has_next && (first == nullptr || part.next.arrival < first->next.arrival)) first = &part;
    if (first == nullptr || first->next.arrival >= end_) return false;
    std::swap(request, first->next);
    request.id = given_++;
    request.model = first->model;
    request.request_class = first->request_class;
    advance(*first);
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return names_.name(id); }
  std::optional<std::uint64_t> size() const override { return end_ == SimTime::max() ? count_ : std::nullopt; }

 private:
  struct Part {
    std::unique_ptr<RequestSource> source;
    std::uint32_t model = 0;
    std::uint32_t request_class = 0;
    Request next;
    bool has_next = false;
  };
  static void advance(Part& part) { part.has_next = part.source->next(part.next); }

  StringTable names_;
  std::vector<Part> parts_;
  std::optional<std::uint64_t> count_;
  SimTime end_;
  std::uint64_t given_ = 0;
};

}  // namespace

std::unique_ptr<RequestSource> make_mixed_generator(const GeneratorSpec& spec, std::uint64_t seed) {
  return std::make_unique<MixedGenerator>(spec, seed);
}

}  // namespace rackwright::traces
