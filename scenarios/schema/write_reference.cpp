/// Writes the reference of the scenario language into a folder: write_reference docs/reference
#include <google/protobuf/descriptor.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "scenarios/schema/reference.h"
#include "scenarios/schema/scenario.pb.h"

int main(int argc, char* argv[]) {
  using namespace rackwright;
  if (argc != 2) {
    std::cerr << "usage: write_reference FOLDER\n";
    return 2;
  }
  std::ofstream file(std::filesystem::path(argv[1]) / "scenario.md", std::ios::binary);
  file << scenarios::reference_markdown(scenarios::describe(*v1::Scenario::descriptor()));
  file.close();
  if (file) return 0;
  std::cerr << argv[1] << ": cannot be written\n";
  return 3;
}
