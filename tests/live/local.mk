# SPDX-License-Identifier: GPL-3.0-or-later
# The whole program on workloads whose truth is known.  Each says why when it must be skipped.
measuring_live_tests = \
	tests/live/test-audiences \
	tests/live/test-bpf \
	tests/live/test-budget \
	tests/live/test-cgroup \
	tests/live/test-clocks \
	tests/live/test-columns \
	tests/live/test-counts \
	tests/live/test-cpus \
	tests/live/test-exports \
	tests/live/test-listen \
	tests/live/test-memory \
	tests/live/test-microstates \
	tests/live/test-offcpu \
	tests/live/test-pc \
	tests/live/test-probes \
	tests/live/test-python \
	tests/live/test-record \
	tests/live/test-remote \
	tests/live/test-runtimes \
	tests/live/test-serve \
	tests/live/test-shares \
	tests/live/test-short \
	tests/live/test-stacks \
	tests/live/test-streams \
	tests/live/test-sums \
	tests/live/test-symbols \
	tests/live/test-syscalls \
	tests/live/test-turnover \
	tests/live/test-when
waiting_live_tests = \
	tests/live/test-code \
	tests/live/test-command \
	tests/live/test-groups \
	tests/live/test-hostile \
	tests/live/test-lost \
	tests/live/test-network \
	tests/live/test-push \
	tests/live/test-push-metrics \
	tests/live/test-target \
	tests/live/test-user
live_tests = $(measuring_live_tests) $(waiting_live_tests)
measuring_tests += $(measuring_live_tests)
waiting_tests += $(waiting_live_tests)
crowding_tests += tests/live/test-attacks
# What measures nothing.
other_live_tests = \
	tests/live/test-doctor \
	tests/live/test-ends \
	tests/live/test-errors \
	tests/live/test-nomemory \
	tests/live/test-noperf \
	tests/live/test-privilege \
	tests/live/test-smoke
dist_check_SCRIPTS += $(live_tests) $(other_live_tests) $(crowding_tests)
CLEANFILES += tests/live.lock
TESTS += $(live_tests) $(other_live_tests) $(crowding_tests)

dist_noinst_DATA += tests/live/live.py
