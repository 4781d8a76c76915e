# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/output/test-output
tests_output_test_output_SOURCES = tests/output/test-output.c tests/unit.h

unit_tests += tests/output/test-labels
tests_output_test_labels_SOURCES = tests/output/test-labels.c tests/unit.h $(sample_snapshot)

unit_tests += tests/output/test-stacks
tests_output_test_stacks_SOURCES = tests/output/test-stacks.c tests/unit.h $(sample_snapshot)

unit_tests += tests/output/test-names
tests_output_test_names_SOURCES = tests/output/test-names.c tests/unit.h $(sample_snapshot)

check_PROGRAMS += tests/output/render
tests_output_render_SOURCES = tests/output/render.c $(sample_snapshot)

output_tests = tests/output/test-formats tests/output/test-metrics tests/output/test-openmetrics tests/output/test-profiles
dist_check_SCRIPTS += $(output_tests)
TESTS += $(output_tests)
dist_noinst_DATA += tests/output/metrics.py tests/output/openmetrics.py tests/output/protobuf.py tests/output/profiles.py tests/output/schema.py
EXTRA_DIST += tests/output/golden
