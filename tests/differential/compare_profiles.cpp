// compare_profiles BEFORE AGAIN: says for every timed table that two folders of rackwright-profile hold how much of it repeats.
// Ends with 1 when less than 95 % of some table does.
#include <algorithm>
#include <iostream>

#include "models/base/invariant.h"
#include "tests/differential/repeated_profile.h"

int main(int argc, char** argv) {
  using namespace rackwright;
  if (argc != 3) {
    std::cerr << "usage: compare_profiles BEFORE AGAIN, two folders that rackwright-profile wrote\n";
    return 2;
  }
  try {
    Diagnostics findings;
    const auto families = test::repeated_families(argv[1], argv[2], findings);
    for (const Diagnostic& finding : findings.all()) std::cerr << to_string(finding) << '\n';
    std::cout << test::text_of(families);
    if (findings.has_errors()) return 2;
    return std::ranges::all_of(families, [](const test::RepeatedFamily& one) { return one.share() >= 0.95; }) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "compare_profiles: " << error.what() << '\n';
    return 3;
  }
}
