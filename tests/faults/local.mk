# SPDX-License-Identifier: GPL-3.0-or-later
# Each call and each allocation fails once.  The library is built plainly: it stands before libc.
faults_tests = \
	tests/faults/test-allocations \
	tests/faults/test-recordings \
	tests/faults/test-syscalls
dist_check_SCRIPTS += $(faults_tests)
TESTS += $(faults_tests)
EXTRA_DIST += tests/faults/allocations.c
check_DATA += tests/faults/allocations.so
CLEANFILES += tests/faults/allocations.so

tests/faults/allocations.so: tests/faults/allocations.c
	$(AM_V_CC)$(MKDIR_P) tests/faults && \
		$(CC) -std=gnu11 $(WARN_CFLAGS) -O1 -g -shared -fPIC -o $@ $(srcdir)/tests/faults/allocations.c
