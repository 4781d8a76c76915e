# SPDX-License-Identifier: GPL-3.0-or-later
src_libptop_a_SOURCES += \
	src/perf/control.c src/perf/control.h \
	src/perf/cpugroup.c \
	src/perf/cpus.c \
	src/perf/drain.c src/perf/drain.h \
	src/perf/group.c src/perf/group.h \
	src/perf/handover.c \
	src/perf/live.c src/perf/live.h \
	src/perf/mapping.c src/perf/mapping.h \
	src/perf/online.c src/perf/online.h \
	src/perf/pertask.c src/perf/pertask.h \
	src/perf/asked.c src/perf/carried.c src/perf/family.c src/perf/inherit.c \
	src/perf/rate.c src/perf/rate.h \
	src/perf/refusal.c src/perf/refusal.h \
	src/perf/ring.c src/perf/ring.h \
	src/perf/source.c src/perf/source.h \
	src/perf/tasks.c src/perf/tasks.h \
	src/perf/turns.c src/perf/turns.h \
	src/perf/userregs.h \
	src/perf/wakeup.c src/perf/wakeup.h

# A recording.
src_libptop_a_SOURCES += \
	src/perf/file.c src/perf/file.h src/perf/file-source.h \
	src/perf/file-compress.c src/perf/file-compress.h \
	src/perf/file-events.c src/perf/file-events.h \
	src/perf/file-header.c \
	src/perf/file-input.c src/perf/file-input.h \
	src/perf/file-order.c src/perf/file-order.h \
	src/perf/file-own.c \
	src/perf/file-parts.c \
	src/perf/file-sched.c \
	src/perf/file-search.c

# The making of one.
src_libptop_a_SOURCES += \
	src/perf/write.c src/perf/write.h \
	src/perf/write-file.c src/perf/write-file.h \
	src/perf/write-head.c src/perf/write-head.h \
	src/perf/write-machine.c src/perf/write-machine.h \
	src/perf/write-record.c src/perf/write-record.h \
	src/perf/write-trace.c src/perf/write-trace.h

# What is asked, and what the records say.
src_libptop_a_SOURCES += \
	src/perf/attr.c src/perf/attr.h \
	src/perf/event.c src/perf/event.h \
	src/perf/evlist.c src/perf/evlist.h \
	src/perf/open.c src/perf/open.h \
	src/perf/catalog.c src/perf/catalog.h \
	src/perf/pmu.c src/perf/pmu.h \
	src/perf/model.c src/perf/model.h \
	src/perf/parse.c src/perf/parse.h \
	src/perf/parse-model.c src/perf/parse-pmu.c src/perf/parse-probe.c src/perf/parse-tracepoint.c \
	src/perf/sysfile.c src/perf/sysfile.h \
	src/perf/trace-format.c src/perf/trace-format.h \
	src/perf/tracefs.c src/perf/tracefs.h \
	src/perf/record.c src/perf/record.h
