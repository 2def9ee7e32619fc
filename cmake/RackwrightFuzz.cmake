# rackwright_fuzzer(<name> SOURCES … LINK … [CORPUS <folder>] [RUNS <n>])
#
# A libFuzzer target and a bounded ctest entry (label "fuzz") that starts from the corpus folder.
# With -DRACKWRIGHT_FUZZERS=ON everything is compiled by clang with coverage instrumentation:
#   cmake -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
#         -DRACKWRIGHT_FUZZERS=ON -DRACKWRIGHT_SANITIZE=ON
# Without it the same entry point is built as a test that only replays the corpus.
if(RACKWRIGHT_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "RACKWRIGHT_FUZZERS needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  target_compile_options(rackwright_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(rackwright_fuzzer name)
  cmake_parse_arguments(FUZZ "" "CORPUS;RUNS" "SOURCES;LINK" ${ARGN})
  if(NOT FUZZ_RUNS)
    set(FUZZ_RUNS 20000)
  endif()
  set(target fuzz_${name})
  set(test "fuzz: ${name}")
  add_executable(${target} ${FUZZ_SOURCES})
  target_link_libraries(${target} PRIVATE rackwright_settings ${FUZZ_LINK})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(RACKWRIGHT_FUZZERS)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    # Finds go to a folder of the build tree; the checked-in corpus is only read.
    set(finds ${CMAKE_BINARY_DIR}/fuzz/${name})
    file(MAKE_DIRECTORY ${finds})
    add_test(NAME ${test} COMMAND ${target} -runs=${FUZZ_RUNS} -timeout=5 -rss_limit_mb=2048
      -artifact_prefix=${finds}/ ${finds} ${FUZZ_CORPUS})
  else()
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/replay_corpus.cpp)
    set(test "fuzz: ${name} (corpus only)")
    add_test(NAME ${test} COMMAND ${target} ${FUZZ_CORPUS})
  endif()
  set_tests_properties(${test} PROPERTIES LABELS fuzz TIMEOUT 600)
endfunction()
