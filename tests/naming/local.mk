# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/naming/test-name tests/naming/test-places
tests_naming_test_name_SOURCES = tests/naming/test-name.c tests/unit.h
tests_naming_test_places_SOURCES = tests/naming/test-places.c tests/unit.h $(engine_rig)
