# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings, as ptop reads them and as perf does.
recording_tests = \
	tests/recording/test-base \
	tests/recording/test-annotate \
	tests/recording/test-compare \
	tests/recording/test-files \
	tests/recording/test-growing \
	tests/recording/test-inline \
	tests/recording/test-machines \
	tests/recording/test-modules \
	tests/recording/test-names \
	tests/recording/test-offcpu \
	tests/recording/test-reading \
	tests/recording/test-stacks \
	tests/recording/test-syscalls \
	tests/recording/test-times \
	tests/recording/test-views \
	tests/recording/test-ways
dist_check_SCRIPTS += $(recording_tests)
TESTS += $(recording_tests)
measuring_tests += tests/recording/test-views

dist_noinst_SCRIPTS += tests/recording/build.py tests/recording/compare.py
