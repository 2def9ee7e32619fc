# rackwright_proto(<name> FILES <file.proto>… [LINK …]): compiles schema files into one static
# library rackwright::<name>. The generated code stays in the build tree, is included by the path
# of its .proto file from the repository root, and is compiled without our warnings.
# (protobuf_generate names files relative to the calling folder, which imports from the root contradict.)
find_package(Protobuf CONFIG QUIET)
if(NOT Protobuf_FOUND)
  find_package(Protobuf REQUIRED)
endif()

function(rackwright_proto name)
  cmake_parse_arguments(PROTO "" "" "FILES;LINK" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM PROTO_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE protos)
  foreach(file IN LISTS PROTO_FILES)
    string(REGEX REPLACE "\\.proto$" "" stem ${out}/${folder}/${file})
    add_custom_command(OUTPUT ${stem}.pb.cc ${stem}.pb.h
      COMMAND protobuf::protoc --cpp_out=${out} -I ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${file}
      DEPENDS ${protos} protobuf::protoc
      COMMENT "Compiling ${folder}/${file}" VERBATIM)
    list(APPEND generated ${stem}.pb.cc ${stem}.pb.h)
  endforeach()
  add_library(rackwright_${name} STATIC ${generated})
  add_library(rackwright::${name} ALIAS rackwright_${name})
  target_compile_features(rackwright_${name} PUBLIC cxx_std_20)
  target_include_directories(rackwright_${name} SYSTEM PUBLIC ${out})
  target_link_libraries(rackwright_${name} PUBLIC protobuf::libprotobuf ${PROTO_LINK})
endfunction()
