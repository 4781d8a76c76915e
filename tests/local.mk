# SPDX-License-Identifier: GPL-3.0-or-later
# A cmocka program is one word in unit_tests and its _SOURCES; it links everything but main().
LDADD = src/libptop.a $(CMOCKA_LIBS) $(LIBPTOP_LIBS)
AM_CPPFLAGS += $(CMOCKA_CFLAGS) -I$(srcdir)/tests
AM_TESTS_ENVIRONMENT = \
	PTOP='$(abs_builddir)/src/ptop'; export PTOP; \
	builddir='$(abs_builddir)'; export builddir; \
	HARDENED='$(HARDEN_CFLAGS) $(HARDEN_LDFLAGS)'; export HARDENED; \
	abs_srcdir='$(abs_srcdir)'; export abs_srcdir; \
	ASAN_OPTIONS=$${ASAN_OPTIONS:-allocator_may_return_null=1}; export ASAN_OPTIONS; \
	LSAN_OPTIONS=$${LSAN_OPTIONS:-suppressions=$(abs_srcdir)/tests/lsan.supp:print_suppressions=0}; \
	export LSAN_OPTIONS; \
	PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE;

unit_tests =
check_DATA =

# Tests that load every CPU: one waits for the other (tests/live/live.py).
measuring_tests =
# Tests that wait more than they compute, and measure nothing that others disturb: some of them run at a time.
waiting_tests =
WAITING_JOBS = 3
# Tests that fill the machine with processes: they run when all others have ended.
crowding_tests =

# A fuzz target is one word in fuzz_tests; its _SOURCES end with $(fuzz_main), its _CPPFLAGS name the
# corpus.  See tests/fuzz/fuzz.h.
fuzz_tests =
fuzz_oracle = tests/fuzz/oracle.c tests/fuzz/heap.c tests/fuzz/heap.h tests/fuzz/fuzz.h
if ENABLE_FUZZERS
fuzz_main = $(fuzz_oracle)
fuzz_link = -fsanitize=fuzzer
else
fuzz_main = tests/fuzz/replay.c $(fuzz_oracle)
fuzz_link =
endif
EXTRA_DIST += tests/corpus tests/lsan.supp

include tests/base/local.mk
include tests/perf/local.mk
include tests/proc/local.mk
include tests/worker/local.mk
include tests/runtime/local.mk
include tests/symbol/local.mk
include tests/unwind/local.mk
include tests/profile/local.mk
include tests/share/local.mk
include tests/engine/local.mk
include tests/naming/local.mk
include tests/view/local.mk
include tests/ui/local.mk
include tests/output/local.mk
include tests/app/local.mk
include tests/workloads/local.mk
include tests/model/local.mk
include tests/soak/local.mk
include tests/live/local.mk
include tests/faults/local.mk
include tests/lab/local.mk
include tests/recording/local.mk
include tests/source/local.mk

EXTRA_PROGRAMS = $(unit_tests) $(fuzz_tests)
if ENABLE_FUZZERS
noinst_PROGRAMS += $(fuzz_tests)
else
check_PROGRAMS += $(fuzz_tests)
TESTS += $(fuzz_tests)
endif
if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif

# `make check` in three rows, beside each other with -j: where there is one, the tests that wait for each other keep all
# others waiting.  Each row has a summary of its own.  The rows of tests that measure and of those that wait take no part
# in -j: each has a job of it, whatever it runs.  What fills the machine comes last, alone.
check-rows: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) $(check_SCRIPTS)
	failed=0; \
	$(MAKE) $(AM_MAKEFLAGS) check-measuring check-waiting check-others || failed=1; \
	$(MAKE) $(AM_MAKEFLAGS) check-crowding || failed=1; \
	exit $$failed
check-measuring:
	MAKEFLAGS= $(MAKE) -s check-TESTS TESTS='$(measuring_tests)' TEST_SUITE_LOG=tests/measuring.log
check-waiting:
	MAKEFLAGS= $(MAKE) -s -j$(WAITING_JOBS) check-TESTS TESTS='$(waiting_tests)' TEST_SUITE_LOG=tests/waiting.log
check-others:
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS \
		TESTS='$(filter-out $(measuring_tests) $(waiting_tests) $(crowding_tests),$(TESTS))'
check-crowding:
	MAKEFLAGS= $(MAKE) -s check-TESTS TESTS='$(crowding_tests)' TEST_SUITE_LOG=tests/crowding.log
.PHONY: check-rows check-measuring check-waiting check-others check-crowding
CLEANFILES += tests/measuring.log tests/waiting.log tests/crowding.log

# The unit tests once more under valgrind: what it finds is a failure, a skip stays a skip.  Not those
# that look at a machine which valgrind changes: it hides the vdso, knows no seccomp(2), runs code of its own making,
# has memory of its own beside a worker's, and dies in the runner's child.  Nor those that take minutes.
VALGRIND = valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
not_under_valgrind = tests/app/test-runner tests/engine/test-collector tests/perf/test-kernel-waits \
	tests/perf/test-live tests/perf/test-pertask tests/runtime/test-java \
	tests/symbol/test-dso tests/symbol/test-hostile-set tests/symbol/test-load-worker tests/unwind/test-table \
	tests/unwind/test-truth tests/unwind/test-unwind-worker tests/worker/test-zygote
# They begin first, so that none of them runs alone at the end.
long_under_valgrind = tests/output/test-names tests/view/test-steady
check-valgrind:
	$(MAKE) $(AM_MAKEFLAGS) check LOG_COMPILER='$(VALGRIND)' \
		TESTS='$(long_under_valgrind) $(filter-out $(not_under_valgrind) $(long_under_valgrind),$(unit_tests))'
.PHONY: check-valgrind
