// write_library_pages FOLDER: runs the scenarios of the library and writes the README.md of each of its folders anew.
#include <exception>
#include <fstream>
#include <iostream>

#include "tests/library/library_answer.h"

int main(int argc, char** argv) {
  using namespace rackwright::test;
  if (argc != 2) {
    std::cerr << "usage: write_library_pages scenarios/library\n";
    return 2;
  }
  try {
    LibraryRuns runs;
    for (const LibraryChapter& chapter : {tutorial_chapter(), disaggregation_chapter(), mixed_chapter(), network_chapter()}) {
      std::ofstream out(std::string(argv[1]) + "/" + chapter.folder + "/README.md", std::ios::binary);
      out << library_page(chapter, runs);
      if (!out) return 3;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
