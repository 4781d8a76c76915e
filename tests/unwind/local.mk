# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/unwind/test-truth
tests_unwind_test_truth_SOURCES = tests/unwind/test-truth.c tests/unwind/tracer.c tests/unwind/tracer.h \
	tests/unwind/objects.c tests/unwind/objects.h tests/symbol/fixture.c tests/symbol/fixture.h \
	tests/unit.h
EXTRA_DIST += tests/unwind/programs

# The stacks of a recording, for the tests and the bench.
if HAVE_UNWIND
check_PROGRAMS += tests/unwind/frames
tests_unwind_frames_SOURCES = tests/unwind/frames.c tests/unwind/replay.c tests/unwind/replay.h \
	tests/unwind/libunwind.c tests/unwind/libunwind.h \
	tests/unwind/objects.c tests/unwind/objects.h
tests_unwind_frames_CPPFLAGS = $(AM_CPPFLAGS) $(UNWIND_CFLAGS)
tests_unwind_frames_LDADD = $(LDADD) $(UNWIND_LIBS)
TESTS += tests/unwind/test-recordings
endif
dist_check_SCRIPTS += tests/unwind/test-recordings
dist_noinst_SCRIPTS += tests/unwind/oracle.py
unit_tests += tests/unwind/test-cfi
tests_unwind_test_cfi_SOURCES = tests/unwind/test-cfi.c tests/unwind/maker.c tests/unwind/maker.h \
	tests/symbol/fixture.c tests/symbol/fixture.h tests/unit.h
fuzz_tests += tests/unwind/fuzz-cfi
tests_unwind_fuzz_cfi_SOURCES = tests/unwind/fuzz-cfi.c $(fuzz_main)
tests_unwind_fuzz_cfi_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"cfi"'
tests_unwind_fuzz_cfi_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
unit_tests += tests/unwind/test-unwind-worker
tests_unwind_test_unwind_worker_SOURCES = tests/unwind/test-unwind-worker.c tests/symbol/fixture.c \
	tests/symbol/fixture.h $(bad_jobs)
unit_tests += tests/unwind/test-table
tests_unwind_test_table_SOURCES = tests/unwind/test-table.c tests/unwind/maker.c tests/unwind/maker.h \
	tests/symbol/fixture.c tests/symbol/fixture.h tests/unit.h
fuzz_tests += tests/unwind/fuzz-rules
tests_unwind_fuzz_rules_SOURCES = tests/unwind/fuzz-rules.c $(fuzz_main)
tests_unwind_fuzz_rules_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"rules"'
tests_unwind_fuzz_rules_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
unit_tests += tests/unwind/test-unwind
tests_unwind_test_unwind_SOURCES = tests/unwind/test-unwind.c tests/unit.h
fuzz_tests += tests/unwind/fuzz-fold tests/unwind/fuzz-walk
tests_unwind_fuzz_fold_SOURCES = tests/unwind/fuzz-fold.c $(fuzz_main)
tests_unwind_fuzz_fold_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"fold"'
tests_unwind_fuzz_fold_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
tests_unwind_fuzz_walk_SOURCES = tests/unwind/fuzz-walk.c $(fuzz_main)
tests_unwind_fuzz_walk_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"walk"'
tests_unwind_fuzz_walk_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
unit_tests += tests/unwind/test-stitch
tests_unwind_test_stitch_SOURCES = tests/unwind/test-stitch.c tests/unit.h
unit_tests += tests/unwind/test-edge
tests_unwind_test_edge_SOURCES = tests/unwind/test-edge.c tests/unit.h
