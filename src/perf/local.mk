# SPDX-License-Identifier: GPL-3.0-or-later
perf_data_doors = file.h write-record.h write.h
perf_bpf_doors = kernel-python.h kernel-waits.h
perf_live_doors = catalog.h live.h
perf_record_doors = record.h source.h trace-format.h
perf_event_doors = attr.h event.h evlist.h model.h pmu-metrics.h pmu.h rate.h sysfile.h tracefs.h
src_libptop_a_SOURCES += \
	src/perf/live/busy.c src/perf/live/busy.h \
	src/perf/live/raw-call.c src/perf/live/raw-call.h \
	src/perf/live/raw-calls.c \
	src/perf/live/raw-calls-apart.c src/perf/live/raw-calls-apart.h \
	src/perf/live/control.c src/perf/live/control.h \
	src/perf/live/cpugroup.c \
	src/perf/live/open-cpus.c \
	src/perf/live/drain.c src/perf/live/drain.h \
	src/perf/live/group.c src/perf/live/group.h \
	src/perf/live/group-open.c src/perf/live/group-open.h \
	src/perf/live/grouptime.c src/perf/live/grouptime.h \
	src/perf/live/handover.c \
	src/perf/live/live.c src/perf/live/live.h src/perf/live/live-state.h \
	src/perf/live/mapping.c src/perf/live/mapping.h \
	src/perf/live/pertask.c src/perf/live/pertask.h \
	src/perf/live/family.c src/perf/live/family-counters.c src/perf/live/inherit.c src/perf/live/task-counters.c \
	src/perf/event/rate.c src/perf/event/rate.h \
	src/perf/live/plan.c src/perf/live/plan.h \
	src/perf/live/refusal.c src/perf/live/refusal.h \
	src/perf/live/ring.c src/perf/live/ring.h src/perf/live/ring-sizes.c src/perf/live/ring-sizes.h \
	src/perf/record/source.c src/perf/record/source.h \
	src/perf/live/call-sums.c src/perf/live/call-sums.h \
	src/perf/live/sums.c src/perf/live/sums.h \
	src/perf/live/wait-sums.c src/perf/live/wait-sums.h \
	src/perf/live/tasks.c src/perf/live/tasks.h \
	src/perf/live/tracepoint.c src/perf/live/tracepoint.h \
	src/perf/live/turns.c src/perf/live/turns.h \
	src/perf/live/userregs.h \
	src/perf/live/tracepoints.c src/perf/live/tracepoints.h src/perf/live/tracepoint-families.h \
	src/perf/live/walks.c src/perf/live/walks.h \
	src/perf/live/waits.c src/perf/live/waits.h \
	src/perf/live/wakeup.c

# A recording.
src_libptop_a_SOURCES += \
	src/perf/data/file.c src/perf/data/file.h \
	src/perf/data/file-build-ids.c src/perf/data/file-build-ids.h \
	src/perf/data/file-compress.c src/perf/data/file-compress.h \
	src/perf/data/file-damage.c src/perf/data/file-damage.h \
	src/perf/data/file-events.c src/perf/data/file-events.h \
	src/perf/data/file-header.c src/perf/data/file-header.h \
	src/perf/data/file-input.c src/perf/data/file-input.h \
	src/perf/data/file-order.c src/perf/data/file-order.h \
	src/perf/data/file-own.c src/perf/data/file-own.h \
	src/perf/data/file-parts.c src/perf/data/file-parts.h \
	src/perf/data/file-decoder.c src/perf/data/file-decoder.h \
	src/perf/data/file-sched.c src/perf/data/file-sched.h \
	src/perf/data/file-search.c src/perf/data/file-search.h

# The making of one.
src_libptop_a_SOURCES += \
	src/perf/data/write.c src/perf/data/write.h \
	src/perf/data/write-file.c src/perf/data/write-file.h \
	src/perf/data/write-head.c src/perf/data/write-head.h \
	src/perf/data/write-machine.c src/perf/data/write-machine.h \
	src/perf/data/write-record.c src/perf/data/write-record.h \
	src/perf/data/write-trace.c src/perf/data/write-trace.h

# What is asked, and what the records say.
src_libptop_a_SOURCES += \
	src/perf/event/attr.c src/perf/event/attr.h \
	src/perf/event/event.c src/perf/event/event.h \
	src/perf/event/evlist.c src/perf/event/evlist.h \
	src/perf/live/network.c \
	src/perf/live/open.c src/perf/live/open.h \
	src/perf/live/catalog.c src/perf/live/catalog.h \
	src/perf/event/pmu-metrics.c src/perf/event/pmu-metrics.h \
	src/perf/event/pmu.c src/perf/event/pmu.h \
	src/perf/event/model.c src/perf/event/model.h \
	src/perf/event/parse.c src/perf/event/parse.h \
	src/perf/event/parse-model.c src/perf/event/parse-pmu.c src/perf/event/parse-probe.c src/perf/event/parse-tracepoint.c \
	src/perf/event/sysfile.c src/perf/event/sysfile.h \
	src/perf/record/trace-format.c src/perf/record/trace-format.h \
	src/perf/event/tracefs.c src/perf/event/tracefs.h \
	src/perf/record/record.c src/perf/record/record.h

# Programs in the kernel: sums of waits, frames of Python.
src_libptop_a_SOURCES += \
	src/perf/bpf/bpf-machine.c src/perf/bpf/bpf-machine.h \
	src/perf/bpf/kernel-python.c src/perf/bpf/kernel-python.h \
	src/perf/bpf/kernel-waits.c src/perf/bpf/kernel-waits.h \
	src/perf/bpf/told.c src/perf/bpf/told.h \
	src/perf/bpf/wait-layout.h

# The kernel's parts of it, as bytes.  The tarball has them, so that only who changes a program needs clang.  They are
# the same wherever the same clang makes them: no path, no debugging information but BTF.
bpf_objects = src/perf/bpf/waits-object.h src/perf/bpf/python-object.h
EXTRA_DIST += src/perf/bpf/waits.bpf.c src/perf/bpf/python.bpf.c src/perf/bpf/core-types.h $(bpf_objects)
if HAVE_LIBBPF
BUILT_SOURCES += $(bpf_objects)
src/perf/bpf/kernel-waits.$(OBJEXT): src/perf/bpf/waits-object.h
src/perf/bpf/kernel-python.$(OBJEXT): src/perf/bpf/python-object.h
endif
MAINTAINERCLEANFILES += $(bpf_objects)
CLEANFILES += src/perf/bpf/waits.bpf.o src/perf/bpf/python.bpf.o
src/perf/bpf/waits-object.h: src/perf/bpf/waits.bpf.c src/perf/bpf/wait-layout.h
src/perf/bpf/python-object.h: src/perf/bpf/python.bpf.c src/base/python-walk.h
$(bpf_objects): src/perf/bpf/core-types.h
	$(AM_V_GEN)test -n "$(BPF_CLANG)" || { echo "$@: clang is needed" >&2; exit 1; }; \
	name=`basename $@ -object.h`; \
	$(MKDIR_P) $(@D) && out=`cd $(@D) && pwd`/$$name.bpf.o && \
	(cd $(srcdir) && $(BPF_CLANG) -target bpfel -mcpu=v3 -O2 -g -fdebug-compilation-dir=. -Wall -Wextra \
		-Wno-unused-parameter -Isrc $(LIBBPF_CFLAGS) -c src/perf/bpf/$$name.bpf.c -o "$$out") && \
	$(LLVM_STRIP) -g "$$out" && \
	{ echo '/* SPDX-License-Identifier: GPL-3.0-or-later */'; \
	  echo "/* Made of $$name.bpf.c.  clang-format may leave it. */"; echo '/* clang-format off */'; \
	  echo "static const unsigned char $${name}_object[] __attribute__((aligned(8))) = {"; \
	  od -An -v -tx1 "$$out" | $(SED) 's/\([0-9a-f][0-9a-f]\)/0x\1,/g'; echo '};'; } > $@.tmp && \
	mv $@.tmp $@
