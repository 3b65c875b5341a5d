# Debian packages by CPack, of the install components: `./dev package` builds them with shared libraries, below /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME recloser)
set(CPACK_PACKAGE_CONTACT "The Recloser authors <recloser@localhost.invalid>")  # there is no public address
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_COMPONENTS_ALL libraries development)
if(TARGET recloser_command)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
if(TARGET recloser-demo)
  list(APPEND CPACK_COMPONENTS_ALL demo)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

# recloser_debian_package(INSTALL_COMPONENT PACKAGE SECTION DESCRIPTION)
function(recloser_debian_package component package section description)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION ${description} PARENT_SCOPE)
  # Not for a plain `cmake --install`: that has the licence itself.
  install(FILES ${PROJECT_SOURCE_DIR}/deploy/packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(so_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
recloser_debian_package(libraries librecloser${so_version} libs
  "Shared libraries, for programs that call services over gRPC.")
recloser_debian_package(development librecloser-dev libdevel
  "Headers, CMake package, pkg-config files, schemas, documents, files for operating it.")
recloser_debian_package(tools recloser-tools utils
  "The recloser command: checks policy files, simulates faults.")
recloser_debian_package(demo recloser-demo utils
  "An echo and a fault service, a load client, and an outage that compares four clients.")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEMO_PACKAGE_SHLIBDEPS ON)
foreach(component IN LISTS components)
  get_target_property(folder recloser_${component} BINARY_DIR)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
endforeach()
list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/proto)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS libraries)
set(CPACK_COMPONENT_TOOLS_DEPENDS libraries)
set(CPACK_COMPONENT_DEMO_DEPENDS libraries)
# What the headers include, the CMake package finds and the .pc files require. gRPC's own CMake package wants its plugins and zlib's, OpenSSL's
# and c-ares' headers; libgrpc++-dev depends on all but the plugins.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libabsl-dev, libgrpc++-dev, libprotobuf-dev, protobuf-compiler, protobuf-compiler-grpc, prometheus-cpp-dev")

include(CPack)
