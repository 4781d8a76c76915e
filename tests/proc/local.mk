# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += tests/proc/test-cgroup
tests_proc_test_cgroup_SOURCES = tests/proc/test-cgroup.c tests/unit.h

unit_tests += tests/proc/test-container tests/proc/test-cpus tests/proc/test-groups tests/proc/test-host tests/proc/test-process tests/proc/test-resctrl tests/proc/test-space tests/proc/test-stat
proc_tree = tests/unit.h tests/proc/tree.c tests/proc/tree.h
tests_proc_test_container_SOURCES = tests/proc/test-container.c $(proc_tree)
tests_proc_test_groups_SOURCES = tests/proc/test-groups.c $(proc_tree)
tests_proc_test_cpus_SOURCES = tests/proc/test-cpus.c $(proc_tree)
tests_proc_test_host_SOURCES = tests/proc/test-host.c $(proc_tree)
tests_proc_test_process_SOURCES = tests/proc/test-process.c $(proc_tree)
tests_proc_test_resctrl_SOURCES = tests/proc/test-resctrl.c $(proc_tree)
tests_proc_test_space_SOURCES = tests/proc/test-space.c tests/unit.h
unit_tests += tests/proc/test-smaps
tests_proc_test_smaps_SOURCES = tests/proc/test-smaps.c $(proc_tree)
tests_proc_test_stat_SOURCES = tests/proc/test-stat.c tests/unit.h
unit_tests += tests/proc/test-microstates
tests_proc_test_microstates_SOURCES = tests/proc/test-microstates.c tests/unit.h
EXTRA_DIST += tests/proc/fixtures

fuzz_tests += tests/proc/fuzz-proc
tests_proc_fuzz_proc_SOURCES = tests/proc/fuzz-proc.c $(fuzz_main)
tests_proc_fuzz_proc_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"proc"'
tests_proc_fuzz_proc_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
