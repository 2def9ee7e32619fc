# One INTERFACE target for the language level, the warnings and the sanitizers.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

add_library(rackwright_settings INTERFACE)
target_compile_features(rackwright_settings INTERFACE cxx_std_20)
target_compile_options(rackwright_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${RACKWRIGHT_WARNINGS_AS_ERRORS}>>:-Werror>)
# g++ 12 and 13 see uninitialized std::strings where there are none, at -O3 only.
target_compile_options(rackwright_settings INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized -Wno-restrict>)
target_include_directories(rackwright_settings INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
# Same input, same bytes: no fused or reordered floating-point arithmetic.
target_compile_options(rackwright_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
if(RACKWRIGHT_SANITIZE)
  # Instrumented code makes GCC 12 see uninitialised values inside library headers.
  target_compile_options(rackwright_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    -Wno-maybe-uninitialized)
  target_link_options(rackwright_settings INTERFACE -fsanitize=address,undefined)
endif()

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
