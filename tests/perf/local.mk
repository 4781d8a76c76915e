# SPDX-License-Identifier: GPL-3.0-or-later

unit_tests += tests/perf/test-record
tests_perf_test_record_SOURCES = tests/perf/test-record.c tests/perf/encode.c tests/perf/encode.h \
	tests/perf/touch.c tests/perf/touch.h tests/unit.h

unit_tests += tests/perf/test-model
tests_perf_test_model_SOURCES = tests/perf/test-model.c tests/unit.h

unit_tests += tests/perf/test-parse
tests_perf_test_parse_SOURCES = tests/perf/test-parse.c tests/perf/machine.c tests/perf/machine.h \
	tests/unit.h

unit_tests += tests/perf/test-metrics
tests_perf_test_metrics_SOURCES = tests/perf/test-metrics.c tests/perf/machine.c \
	tests/perf/machine.h tests/unit.h

unit_tests += tests/perf/test-catalog
tests_perf_test_catalog_SOURCES = tests/perf/test-catalog.c tests/perf/machine.c \
	tests/perf/machine.h tests/unit.h

fuzz_tests += tests/perf/fuzz-record
tests_perf_fuzz_record_SOURCES = tests/perf/fuzz-record.c tests/perf/touch.c tests/perf/touch.h \
	$(fuzz_main)
tests_perf_fuzz_record_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"record"'
tests_perf_fuzz_record_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/perf/fuzz-event
tests_perf_fuzz_event_SOURCES = tests/perf/fuzz-event.c tests/perf/machine.c \
	tests/perf/machine.h $(fuzz_main)
tests_perf_fuzz_event_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"event"'
tests_perf_fuzz_event_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

unit_tests += tests/perf/test-trace-format
tests_perf_test_trace_format_SOURCES = tests/perf/test-trace-format.c tests/unit.h

unit_tests += tests/perf/test-open
tests_perf_test_open_SOURCES = tests/perf/test-open.c tests/unit.h

unit_tests += tests/perf/test-kernel-python
tests_perf_test_kernel_python_SOURCES = tests/perf/test-kernel-python.c tests/unit.h
unit_tests += tests/perf/test-told
tests_perf_test_told_SOURCES = tests/perf/test-told.c tests/unit.h

unit_tests += tests/perf/test-kernel-waits
tests_perf_test_kernel_waits_SOURCES = tests/perf/test-kernel-waits.c tests/unit.h

# On a kernel of the test's own.
unit_tests += tests/perf/test-turns
tests_perf_test_turns_SOURCES = tests/perf/test-turns.c tests/perf/fake-kernel.c \
	tests/perf/fake-kernel.h tests/unit.h

unit_tests += tests/perf/test-catalog-slots
tests_perf_test_catalog_slots_SOURCES = tests/perf/test-catalog-slots.c tests/perf/machine.c \
	tests/perf/machine.h tests/perf/fake-kernel.c tests/perf/fake-kernel.h tests/unit.h

unit_tests += tests/perf/test-grouptime
tests_perf_test_grouptime_SOURCES = tests/perf/test-grouptime.c tests/perf/fake-kernel.c \
	tests/perf/fake-kernel.h tests/unit.h

unit_tests += tests/perf/test-busy
tests_perf_test_busy_SOURCES = tests/perf/test-busy.c tests/unit.h

unit_tests += tests/perf/test-sysfile
tests_perf_test_sysfile_SOURCES = tests/perf/test-sysfile.c tests/perf/machine.c \
	tests/perf/machine.h tests/unit.h

fake_ring = tests/perf/fake-ring.c tests/perf/fake-ring.h
unit_tests += tests/perf/test-ring
tests_perf_test_ring_SOURCES = tests/perf/test-ring.c tests/unit.h $(fake_ring)

unit_tests += tests/perf/test-drain
tests_perf_test_drain_SOURCES = tests/perf/test-drain.c tests/unit.h $(fake_ring)

unit_tests += tests/perf/test-branches
tests_perf_test_branches_SOURCES = tests/perf/test-branches.c tests/perf/encode.c tests/perf/encode.h \
	tests/unit.h

unit_tests += tests/perf/test-handover
tests_perf_test_handover_SOURCES = tests/perf/test-handover.c tests/perf/encode.c tests/perf/encode.h \
	tests/unit.h

unit_tests += tests/perf/test-write
tests_perf_test_write_SOURCES = tests/perf/test-write.c tests/perf/encode.c tests/perf/encode.h \
	tests/unit.h

# On the real kernel.
live_harness = tests/perf/harness.c tests/perf/harness.h
unit_tests += tests/perf/test-live
tests_perf_test_live_SOURCES = tests/perf/test-live.c tests/unit.h $(live_harness)

unit_tests += tests/perf/test-pertask
tests_perf_test_pertask_SOURCES = tests/perf/test-pertask.c tests/unit.h $(live_harness)

# The same as on a kernel before 6.12.
unit_tests += tests/perf/test-asked
tests_perf_test_asked_SOURCES = $(tests_perf_test_pertask_SOURCES)
tests_perf_test_asked_CPPFLAGS = $(AM_CPPFLAGS) -DOLD_KERNEL

unit_tests += tests/perf/test-control
tests_perf_test_control_SOURCES = tests/perf/test-control.c tests/unit.h $(live_harness)

unit_tests += tests/perf/test-limits
tests_perf_test_limits_SOURCES = tests/perf/test-limits.c tests/unit.h

fuzz_tests += tests/perf/fuzz-recording
tests_perf_fuzz_recording_SOURCES = tests/perf/fuzz-recording.c tests/perf/touch.c \
	tests/perf/touch.h $(fuzz_main)
tests_perf_fuzz_recording_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"recording"'
tests_perf_fuzz_recording_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

unit_tests += tests/perf/test-write-machine
tests_perf_test_write_machine_SOURCES = tests/perf/test-write-machine.c tests/unit.h

fuzz_tests += tests/perf/fuzz-trace-format
tests_perf_fuzz_trace_format_SOURCES = tests/perf/fuzz-trace-format.c $(fuzz_main)
tests_perf_fuzz_trace_format_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"trace-format"'
tests_perf_fuzz_trace_format_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
