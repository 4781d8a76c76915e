# SPDX-License-Identifier: GPL-3.0-or-later
engine_doors = collector.h recorder.h
src_libptop_a_SOURCES += \
	src/engine/shedding.c src/engine/shedding.h \
	src/engine/attribution.c src/engine/attribution.h \
	src/engine/budget.c src/engine/budget.h \
	src/engine/collector.c src/engine/collector.h \
	src/engine/engine.c src/engine/engine.h src/engine/engine-options.h \
	src/engine/engine-open.c \
	src/engine/look.c \
	src/engine/offcpu.c src/engine/offcpu.h \
	src/engine/memory.c src/engine/memory.h \
	src/engine/parts.c src/engine/parts.h \
	src/engine/pieces.c src/engine/pieces.h \
	src/engine/recorder.c src/engine/recorder.h \
	src/engine/report.c src/engine/report.h \
	src/engine/report-cells.c \
	src/engine/report-cpus.c \
	src/engine/report-groups.c \
	src/engine/report-head.c \
	src/engine/report-rows.c \
	src/engine/engine-state.h \
	src/engine/tap.c src/engine/tap.h \
	src/engine/usage.c src/engine/usage.h \
	src/engine/syscalls.c src/engine/syscalls.h \
	src/engine/target.c src/engine/target.h \
	src/engine/thinning.c src/engine/thinning.h \
	src/engine/times.c src/engine/times.h \
	src/engine/window.c src/engine/window.h \
	src/engine/watch.c src/engine/watch.h
