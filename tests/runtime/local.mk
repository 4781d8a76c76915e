# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/runtime/test-java tests/runtime/test-launch
tests_runtime_test_java_SOURCES = tests/runtime/test-java.c tests/unit.h
tests_runtime_test_launch_SOURCES = tests/runtime/test-launch.c tests/unit.h
