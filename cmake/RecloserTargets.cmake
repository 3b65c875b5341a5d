# How every target of the project is built.

# recloser_library(NAME [SOURCES ...] [LINK ...]): recloser_NAME with the alias recloser::NAME, headers under include/.
function(recloser_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(recloser_${name} ${ARG_SOURCES})
  add_library(recloser::${name} ALIAS recloser_${name})
  target_include_directories(recloser_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                              PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(recloser_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  set_target_properties(recloser_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  recloser_compile_options(recloser_${name})
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
