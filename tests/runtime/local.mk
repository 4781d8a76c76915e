# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/runtime/test-java tests/runtime/test-launch
tests_runtime_test_java_SOURCES = tests/runtime/test-java.c tests/unit.h
tests_runtime_test_launch_SOURCES = tests/runtime/test-launch.c tests/unit.h
unit_tests += tests/runtime/test-python
tests_runtime_test_python_SOURCES = tests/runtime/test-python.c tests/runtime/python-memory.h tests/unit.h

fuzz_tests += tests/runtime/fuzz-python
tests_runtime_fuzz_python_SOURCES = tests/runtime/fuzz-python.c tests/runtime/python-memory.h $(fuzz_main)
tests_runtime_fuzz_python_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"python"'
tests_runtime_fuzz_python_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
