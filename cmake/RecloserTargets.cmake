# How every target of the project is built.

# The libraries that are installed, each of which can be asked for: find_package(recloser COMPONENTS grpc).
set(RECLOSER_COMPONENTS core config grpc prometheus page events)

# recloser_library(NAME [SOURCES ...] [LINK ...] [PRIVATE_LINK ...]): recloser_NAME with the alias recloser::NAME, headers under include/.
#
# A component (above) and its messages, COMPONENT_proto, are shared where BUILD_SHARED_LIBS is on, and are installed. All others are parts of
# our own programs.
function(recloser_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  string(REGEX REPLACE "_proto$" "" component ${name})
  if(component IN_LIST RECLOSER_COMPONENTS)
    add_library(recloser_${name} ${ARG_SOURCES})
    string(REPLACE _ - file_name recloser-${name})
    if(component STREQUAL name)  # what protoc makes of messages says nothing of visibility
      set_target_properties(recloser_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
    set_target_properties(recloser_${name} PROPERTIES OUTPUT_NAME ${file_name} VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # while the major version is 0 each minor one may break the ABI
  else()
    add_library(recloser_${name} STATIC ${ARG_SOURCES})
  endif()
  add_library(recloser::${name} ALIAS recloser_${name})
  target_include_directories(recloser_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                              PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(recloser_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  set_target_properties(recloser_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  recloser_compile_options(recloser_${name})
endfunction()

# recloser_messages(NAME PROTOS recloser/sim/v1/scenario ... [GRPC] [LINK ...]): messages, with GRPC also stubs, as the library recloser::NAME. The
# .proto files are relative to the current folder and may import each other; the headers are "recloser/sim/v1/scenario.pb.h" and so on.
function(recloser_messages name)
  cmake_parse_arguments(ARG "GRPC" "" "PROTOS;LINK" ${ARGN})
  set(generated_dir ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated_dir})
  list(TRANSFORM ARG_PROTOS APPEND .proto OUTPUT_VARIABLE files)
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(endings .pb.cc .pb.h)
  set(stubs)
  if(ARG_GRPC)
    list(APPEND endings .grpc.pb.cc .grpc.pb.h)
    set(stubs --grpc_out=${generated_dir} --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>)
  endif()
  set(generated)
  foreach(proto IN LISTS ARG_PROTOS)
    list(TRANSFORM endings PREPEND ${generated_dir}/${proto} OUTPUT_VARIABLE outputs)
    add_custom_command(OUTPUT ${outputs}
      COMMAND $<TARGET_FILE:protobuf::protoc> -I ${CMAKE_CURRENT_SOURCE_DIR} --cpp_out=${generated_dir} ${stubs} ${proto}.proto
      DEPENDS ${files}
      VERBATIM)
    list(APPEND generated ${outputs})
  endforeach()
  recloser_library(${name} SOURCES ${generated} LINK protobuf::libprotobuf ${ARG_LINK})
  target_include_directories(recloser_${name} SYSTEM PUBLIC $<BUILD_INTERFACE:${generated_dir}>)
  target_compile_options(recloser_${name} PRIVATE -w)  # not our code
  set_target_properties(recloser_${name} PROPERTIES RECLOSER_PROTOS "${ARG_PROTOS}")
endfunction()

# C++17; at top level warnings are errors, and the sanitizers asked for are on.
function(recloser_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  if(PROJECT_IS_TOP_LEVEL)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
  endif()
  if(RECLOSER_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${RECLOSER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${RECLOSER_SANITIZE})
  endif()
endfunction()

# recloser_executable(NAME [SOURCES ...] [LINK ...])
function(recloser_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  recloser_compile_options(${name})
endfunction()

# recloser_test(NAME [SOURCES ...] [LINK ...] [LABELS ...] [TIMEOUT seconds]): a GoogleTest program, one ctest entry.
function(recloser_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  recloser_executable(${name} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()
