# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/profile/test-callgraph tests/profile/test-calltree tests/profile/test-counters \
	tests/profile/test-distribution tests/profile/test-frame tests/profile/test-histogram tests/profile/test-history \
	tests/profile/test-invariant tests/profile/test-snapshot
tests_profile_test_callgraph_SOURCES = tests/profile/test-callgraph.c tests/unit.h $(sample_snapshot)
tests_profile_test_calltree_SOURCES = tests/profile/test-calltree.c tests/unit.h
tests_profile_test_counters_SOURCES = tests/profile/test-counters.c tests/unit.h
tests_profile_test_distribution_SOURCES = tests/profile/test-distribution.c tests/unit.h
tests_profile_test_frame_SOURCES = tests/profile/test-frame.c tests/unit.h
tests_profile_test_histogram_SOURCES = tests/profile/test-histogram.c tests/unit.h
tests_profile_test_history_SOURCES = tests/profile/test-history.c tests/unit.h
tests_profile_test_invariant_SOURCES = tests/profile/test-invariant.c tests/unit.h
tests_profile_test_snapshot_SOURCES = tests/profile/test-snapshot.c tests/unit.h $(sample_snapshot)

# For whoever tests a view or an output: add $(sample_snapshot) to the program's sources.
sample_snapshot = tests/profile/sample-snapshot.c tests/profile/sample-snapshot.h
