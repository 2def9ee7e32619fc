#pragma once

/// Catch2 2.13 (Debian 12) and 3.x (later distributions) by one include.
#if CATCH2_VERSION_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
