# Configures the host project afresh, and compiles its one source against Recloser's headers.
file(REMOVE_RECURSE ${BUILD})

execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${HOST} -B ${BUILD} -G ${GENERATOR} --log-level=NOTICE -D CMAKE_CXX_COMPILER=${COMPILER}
          -D RECLOSER_SOURCE_DIR=${RECLOSER} -D RECLOSER_BUILD_GRPC=${GRPC} -D RECLOSER_BUILD_PROMETHEUS=${PROMETHEUS}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "configuring the host failed:\n${output}\n${errors}")
endif()
if(errors)
  message(FATAL_ERROR "configuring the host is not quiet:\n${errors}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target host RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "compiling the host failed:\n${output}")
endif()
