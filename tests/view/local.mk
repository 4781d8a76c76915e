# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/view/test-axis tests/view/test-meters tests/view/test-base tests/view/test-text tests/view/test-grid tests/view/test-column tests/view/test-cpu-past tests/view/test-cpus tests/view/test-findings tests/view/test-groups \
	tests/view/test-view tests/view/test-screen tests/view/test-pages tests/view/test-languages \
	tests/view/test-expression tests/view/test-way tests/view/test-kinds tests/view/test-calls tests/view/test-flame \
	tests/view/test-condition tests/view/test-ended tests/view/test-search tests/view/test-shares tests/view/test-steady
view_golden = tests/view/golden.c tests/view/golden.h tests/unit.h
view_code = tests/profile/sample-code.c tests/profile/sample-code.h
view_sample = tests/profile/sample-snapshot.c tests/profile/sample-snapshot.h
tests_view_test_base_SOURCES = tests/view/test-base.c $(view_golden) $(view_sample)
tests_view_test_meters_SOURCES = tests/view/test-meters.c $(view_golden) $(view_sample)
tests_view_test_axis_SOURCES = tests/view/test-axis.c $(view_golden) $(view_sample)
tests_view_test_code_SOURCES = tests/view/test-code.c $(view_golden) $(view_sample) $(view_code)
tests_view_test_text_SOURCES = tests/view/test-text.c $(view_golden)
tests_view_test_grid_SOURCES = tests/view/test-grid.c $(view_golden)
tests_view_test_column_SOURCES = tests/view/test-column.c $(view_golden) $(view_sample)
tests_view_test_cpu_past_SOURCES = tests/view/test-cpu-past.c $(view_golden) $(view_sample)
tests_view_test_cpus_SOURCES = tests/view/test-cpus.c $(view_golden) $(view_sample)
tests_view_test_findings_SOURCES = tests/view/test-findings.c $(view_golden) $(view_sample)
tests_view_test_groups_SOURCES = tests/view/test-groups.c $(view_golden) $(view_sample)
tests_view_test_view_SOURCES = tests/view/test-view.c $(view_golden) $(view_sample)
tests_view_test_screen_SOURCES = tests/view/test-screen.c $(view_golden) $(view_sample)
tests_view_test_pages_SOURCES = tests/view/test-pages.c $(view_golden) $(view_sample)
tests_view_test_languages_SOURCES = tests/view/test-languages.c $(view_golden) $(view_sample)
tests_view_test_way_SOURCES = tests/view/test-way.c $(view_golden) $(view_sample)
tests_view_test_kinds_SOURCES = tests/view/test-kinds.c $(view_golden) $(view_sample) $(view_code)
tests_view_test_calls_SOURCES = tests/view/test-calls.c $(view_golden) $(view_sample)
tests_view_test_condition_SOURCES = tests/view/test-condition.c tests/unit.h $(view_sample)
tests_view_test_ended_SOURCES = tests/view/test-ended.c $(view_golden) $(view_sample)
tests_view_test_shares_SOURCES = tests/view/test-shares.c $(view_golden) $(view_sample) $(view_code)
view_large = tests/profile/large-snapshot.c tests/profile/large-snapshot.h $(view_sample)
tests_view_test_search_SOURCES = tests/view/test-search.c tests/unit.h $(view_large)
tests_view_test_steady_SOURCES = tests/view/test-steady.c $(view_golden) $(view_sample)
tests_view_test_flame_SOURCES = tests/view/test-flame.c $(view_golden) $(view_sample)
tests_view_test_expression_SOURCES = tests/view/test-expression.c tests/unit.h

fuzz_tests += tests/view/fuzz-expression
tests_view_fuzz_expression_SOURCES = tests/view/fuzz-expression.c $(fuzz_main)
tests_view_fuzz_expression_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"expression"'
tests_view_fuzz_expression_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

unit_tests += tests/view/test-code

EXTRA_DIST += tests/view/golden
unit_tests += tests/view/test-metrics
tests_view_test_metrics_SOURCES = tests/view/test-metrics.c tests/perf/machine.c tests/perf/machine.h $(view_golden) $(view_sample)
