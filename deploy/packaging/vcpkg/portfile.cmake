# An overlay port builds the tree that it lies in.
set(SOURCE_PATH "${CURRENT_PORT_DIR}/../../..")

vcpkg_check_features(OUT_FEATURE_OPTIONS options
  FEATURES
    grpc RECLOSER_BUILD_GRPC
    config RECLOSER_BUILD_CONFIG
    events RECLOSER_BUILD_EVENTS
    prometheus RECLOSER_BUILD_PROMETHEUS
    page RECLOSER_BUILD_PAGE
    tools RECLOSER_BUILD_SIM)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DRECLOSER_BUILD_TESTS=OFF -DRECLOSER_BUILD_DEMO=OFF -DRECLOSER_BUILD_EXAMPLES=OFF -DRECLOSER_BUILD_BENCHMARKS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/recloser)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES recloser AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
