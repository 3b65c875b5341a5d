"""Recloser for Conan 2, from the tree that this file lies in: conan create deploy/packaging/conan --build=missing

Written by Conan's documentation, not yet run: see ../README.md.
"""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class RecloserConan(ConanFile):
    name = "recloser"
    version = "0.1.0"
    description = "Circuit breaking, retry and deadlines for gRPC in C++"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    parts = ("grpc", "config", "events", "prometheus", "page", "sim")  # of the project, as RECLOSER_BUILD_...; sim: the recloser command
    options = {option: [True, False] for option in ("shared", "fPIC", *parts)}
    default_options = {"shared": False, "fPIC": True, "grpc": True, "config": True, "events": True, "prometheus": False, "page": False,
                       "sim": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..", "..")
        for part in ("CMakeLists.txt", "LICENSE", "*.md", "cmake/*", "lib/*", "interceptors/*", "proto/*", "tools/*", "docs/*", "examples/*",
                     "deploy/*"):
            copy(self, part, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    @property
    def needs_protobuf(self):
        return any(self.options.get_safe(part) for part in ("grpc", "config", "events", "page", "sim"))

    def requirements(self):
        # transitive_headers: the public headers include theirs.
        self.requires("abseil/[>=20220623]", transitive_headers=True)
        if self.options.grpc:
            self.requires("grpc/[>=1.50 <1.55]", transitive_headers=True)
        if self.needs_protobuf:
            self.requires("protobuf/3.21.12", transitive_headers=True)
        if self.options.prometheus:
            self.requires("prometheus-cpp/[>=1.0]", transitive_headers=True)
        if self.options.page:
            self.requires("civetweb/[>=1.15]")
        if self.options.sim:
            self.requires("cli11/[>=2.3]")

    def build_requirements(self):
        if self.needs_protobuf:
            self.tool_requires("protobuf/<host_version>")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("TESTS", "DEMO", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"RECLOSER_BUILD_{option}"] = False
        for part in self.parts:
            toolchain.cache_variables[f"RECLOSER_BUILD_{part.upper()}"] = bool(self.options.get_safe(part))
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        # The project's own CMake package is the one to find, not one that Conan makes.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "recloser")]
