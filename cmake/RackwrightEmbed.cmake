# rackwright_embed(<target> <name> FOLDER <folder> FILES <file>…)
#
# Puts data files into a library, so that the program needs none beside it. The files are named relative
# to the folder. Code that uses them includes "embedded/<name>.h" and calls
#   rackwright::embedded::<name>()   ->  rackwright::EmbeddedFiles, in the order given here
# As a script (cmake -P) this file writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  foreach(file IN LISTS FILES)
    file(READ ${FOLDER}/${file} text)
    if(text MATCHES "\\)rackwright\"")
      message(FATAL_ERROR "${file} contains the mark that ends a raw string")
    endif()
    string(APPEND entries "    {R\"rackwright(${file})rackwright\"sv, R\"rackwright(${text})rackwright\"sv},\n")
  endforeach()
  file(WRITE ${OUT} "#include \"embedded/${NAME}.h\"\n\nnamespace rackwright::embedded {\nnamespace {\n\nusing namespace std::string_view_literals;  // A length known beforehand: no loop over a long text.\n\n"
    "constexpr EmbeddedFile files[] = {\n${entries}};\n\n}  // namespace\n\n"
    "EmbeddedFiles ${NAME}() { return files; }\n\n}  // namespace rackwright::embedded\n")
  return()
endif()

set(RACKWRIGHT_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(rackwright_embed target name)
  cmake_parse_arguments(EMBED "" "FOLDER" "FILES" ${ARGN})
  get_filename_component(folder ${EMBED_FOLDER} ABSOLUTE)
  set(out ${CMAKE_BINARY_DIR}/generated/embedded/${name}.cpp)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/embedded/${name}.h @ONLY CONTENT
    "#pragma once\n\n#include \"models/base/embedded_file.h\"\n\nnamespace rackwright::embedded {\nEmbeddedFiles ${name}();\n}\n")
  list(TRANSFORM EMBED_FILES PREPEND ${folder}/ OUTPUT_VARIABLE files)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFOLDER=${folder} "-DFILES=${EMBED_FILES}" -DOUT=${out} -P ${RACKWRIGHT_EMBED_SCRIPT}
    DEPENDS ${files} ${RACKWRIGHT_EMBED_SCRIPT}
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(rackwright_${target} PRIVATE ${out})
  target_include_directories(rackwright_${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
