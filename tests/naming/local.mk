# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/naming/test-name tests/naming/test-places
tests_naming_test_name_SOURCES = tests/naming/test-name.c tests/unit.h
tests_naming_test_places_SOURCES = tests/naming/test-places.c tests/unit.h $(engine_rig)
unit_tests += tests/naming/test-python-names tests/naming/test-resolve
tests_naming_test_python_names_SOURCES = tests/naming/test-python-names.c tests/unit.h
tests_naming_test_resolve_SOURCES = tests/naming/test-resolve.c tests/unit.h
