#!/usr/bin/env python3
"""The recipes for vcpkg and Conan say what the CMake project says: version, options, dependencies. Neither tool is needed, nor run.

recipes_test.py SOURCE_DIR VERSION INSTALLED_CONFIG: the last is the installed recloser-config.cmake, which knows what each component needs.
"""
import importlib.util
import json
import pathlib
import re
import sys
import types
import unittest
from unittest import mock

SOURCE = pathlib.Path(sys.argv[1])
VERSION = sys.argv[2]
CONFIG = pathlib.Path(sys.argv[3]).read_text()

# What find_package calls them, and what both registries do.
REGISTRY_NAMES = {"absl": "abseil", "Protobuf": "protobuf", "gRPC": "grpc", "prometheus-cpp": "prometheus-cpp", "civetweb": "civetweb"}
PARTS = {component: parts.split(";") for component, parts in re.findall(r"set\(_recloser_parts_of_(\w+) (.*)\)", CONFIG)}
PACKAGES = {component: packages.split(";") for component, packages in re.findall(r"set\(_recloser_packages_of_(\w+) (.*)\)", CONFIG)}


def needed(component):
    """The registries' names of all that a component needs."""
    packages = {package for part in PARTS[component] for package in PACKAGES[part]}
    return {REGISTRY_NAMES[package] for package in packages - {"Threads"}}


def cmake_options():
    return set(re.findall(r"option\((RECLOSER_\w+)", (SOURCE / "CMakeLists.txt").read_text()))


def conan_recipe():
    """The recipe's class, with stand-ins for Conan's own modules."""
    modules = {name: types.ModuleType(name) for name in ("conan", "conan.tools", "conan.tools.cmake", "conan.tools.files")}
    modules["conan"].ConanFile = object
    for name in ("CMake", "CMakeDeps", "CMakeToolchain", "cmake_layout"):
        setattr(modules["conan.tools.cmake"], name, None)
    for name in ("copy", "rmdir"):
        setattr(modules["conan.tools.files"], name, None)
    with mock.patch.dict(sys.modules, modules):
        spec = importlib.util.spec_from_file_location("conanfile", SOURCE / "deploy/packaging/conan/conanfile.py")
        module = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode = True
        spec.loader.exec_module(module)
    return module.RecloserConan


class Options(dict):
    __getattr__ = dict.__getitem__
    get_safe = dict.get


def conan_requirements(**options):
    recipe = conan_recipe()()
    recipe.options = Options({**dict.fromkeys(recipe.parts, False), **options})
    required = []
    recipe.requires = lambda reference, **traits: required.append(reference.split("/")[0])
    recipe.requirements()
    return set(required)


class Vcpkg(unittest.TestCase):
    manifest = json.loads((SOURCE / "deploy/packaging/vcpkg/vcpkg.json").read_text())
    portfile = (SOURCE / "deploy/packaging/vcpkg/portfile.cmake").read_text()

    def names(self, dependencies):
        return {dependency if isinstance(dependency, str) else dependency["name"] for dependency in dependencies}

    def test_version(self):
        self.assertEqual(self.manifest["version"], VERSION)

    def test_options_are_those_of_the_project(self):
        self.assertLessEqual(set(re.findall(r"RECLOSER_BUILD_\w+", self.portfile)), cmake_options())

    def test_features_are_options(self):
        self.assertEqual(set(self.manifest["features"]), set(re.findall(r"^ +(\w+) RECLOSER_BUILD_\w+", self.portfile, re.MULTILINE)))

    def test_dependencies_of_each_component(self):
        for component in PARTS:
            dependencies = self.names(self.manifest["dependencies"])
            if component in self.manifest["features"]:
                dependencies |= self.names(self.manifest["features"][component]["dependencies"])
            with self.subTest(component):
                self.assertLessEqual(needed(component), dependencies)


class Conan(unittest.TestCase):
    def test_version(self):
        self.assertEqual(conan_recipe().version, VERSION)

    def test_parts_are_options_of_the_project(self):
        self.assertLessEqual({f"RECLOSER_BUILD_{part.upper()}" for part in conan_recipe().parts}, cmake_options())

    def test_dependencies_of_each_component(self):
        for component in PARTS:
            options = {component: True} if component in conan_recipe().parts else {}
            with self.subTest(component):
                self.assertLessEqual(needed(component), conan_requirements(**options))

    def test_core_needs_little(self):
        self.assertEqual(conan_requirements(), needed("core"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
