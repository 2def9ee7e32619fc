# rackwright_module(<folder> SOURCES … [PUBLIC …] [PRIVATE …])
#
# One static library per second-level folder: models/base becomes rackwright_models_base
# with the alias rackwright::models_base. A link against the direction of the arrows
# (models < topologies, traces < scenarios < sim | gui < tests) stops the configuration.
set(RACKWRIGHT_LAYER_models 1)
set(RACKWRIGHT_LAYER_topologies 2)
set(RACKWRIGHT_LAYER_traces 2)
set(RACKWRIGHT_LAYER_scenarios 3)
set(RACKWRIGHT_LAYER_sim 4)
set(RACKWRIGHT_LAYER_gui 4)
set(RACKWRIGHT_LAYER_tests 5)

function(rackwright_check_arrows folder)
  string(REGEX MATCH "^[a-z]+" from ${folder})
  foreach(dependency IN LISTS ARGN)
    if(dependency MATCHES "^rackwright::([a-z]+)_")
      set(to ${CMAKE_MATCH_1})
      if(NOT from STREQUAL to AND NOT RACKWRIGHT_LAYER_${from} GREATER RACKWRIGHT_LAYER_${to})
        message(FATAL_ERROR "${folder} must not link ${dependency}: arrows go models < topologies, traces < scenarios < sim | gui < tests")
      endif()
    endif()
  endforeach()
endfunction()

function(rackwright_module folder)
  cmake_parse_arguments(MODULE "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  rackwright_check_arrows(${folder} ${MODULE_PUBLIC} ${MODULE_PRIVATE})
  add_library(rackwright_${name} STATIC ${MODULE_SOURCES})
  add_library(rackwright::${name} ALIAS rackwright_${name})
  target_link_libraries(rackwright_${name} PUBLIC rackwright_settings ${MODULE_PUBLIC} PRIVATE ${MODULE_PRIVATE})
endfunction()

# rackwright_part(<name> <ON|OFF> <reason>): remembers one optional part for the summary line.
function(rackwright_part name state reason)
  set_property(GLOBAL APPEND PROPERTY RACKWRIGHT_PARTS "${name}: ${state} (${reason})")
endfunction()

function(rackwright_summary)
  get_property(parts GLOBAL PROPERTY RACKWRIGHT_PARTS)
  foreach(part IN LISTS parts)
    message(STATUS "Rackwright ${part}")
  endforeach()
endfunction()
