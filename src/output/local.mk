# SPDX-License-Identifier: GPL-3.0-or-later
output_doors = gzip.h otlp-answer.h output.h
src_libptop_a_SOURCES += \
	src/output/csv.c \
	src/output/folded.c \
	src/output/format.c src/output/format.h \
	src/output/metric-walk.c src/output/metric-walk.h \
	src/output/openmetrics.c \
	src/output/output.c src/output/output.h \
	src/output/stacks.c src/output/stacks.h \
	src/output/pc.c \
	src/output/program.c src/output/program.h \
	src/output/samples.c \
	src/output/svg.c \
	src/output/plain.c \
	src/output/texts.c src/output/texts.h \
	src/output/output-file.c

json_formats = src/output/document.c src/output/document.h src/output/firefox.c \
	src/output/json.c src/output/json-code.c src/output/json-findings.c src/output/json-tree.c src/output/speedscope.c
if HAVE_JANSSON
src_libptop_a_SOURCES += $(json_formats)
else
EXTRA_DIST += $(json_formats)
endif

# The script of a flame graph, as a C string: without its head, and without tabs, as all output.
EXTRA_DIST += src/output/svg.js
BUILT_SOURCES += src/output/svg-script.h
CLEANFILES += src/output/svg-script.h
src/output/svg.$(OBJEXT): src/output/svg-script.h
src/output/svg-script.h: src/output/svg.js
	$(AM_V_GEN)$(MKDIR_P) src/output && \
		$(SED) -e '/^\/\//d' -e 's/^[[:blank:]]*//' -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' \
			$(srcdir)/src/output/svg.js >$@.new && mv $@.new $@

# NAME.pb-c.[ch] are made of NAME.proto by the compiler of protobuf-c.
protobuf_formats = src/output/gzip.c src/output/gzip.h src/output/otlp.c src/output/otlp.h \
	src/output/otlp-answer.h src/output/otlp-parts.c src/output/otlp-profiles.c src/output/parca.c src/output/pprof.c src/output/pprof.h \
	src/output/remote-write.c
protobuf_made = src/output/otlp.pb-c.c src/output/pprof.pb-c.c src/output/remote-write.pb-c.c
EXTRA_DIST += src/output/otlp.proto src/output/pprof.proto src/output/remote-write.proto
if HAVE_PPROF
src_libptop_a_SOURCES += $(protobuf_formats)
nodist_src_libptop_a_SOURCES = $(protobuf_made) $(protobuf_made:.c=.h)
BUILT_SOURCES += $(protobuf_made:.c=.h)
CLEANFILES += $(protobuf_made) $(protobuf_made:.c=.h)
src/output/otlp.$(OBJEXT) src/output/otlp-parts.$(OBJEXT) src/output/otlp-profiles.$(OBJEXT): src/output/otlp.pb-c.h
src/output/pprof.$(OBJEXT): src/output/pprof.pb-c.h
src/output/remote-write.$(OBJEXT): src/output/remote-write.pb-c.h
src/output/otlp.pb-c.h: src/output/otlp.pb-c.c
src/output/pprof.pb-c.h: src/output/pprof.pb-c.c
src/output/remote-write.pb-c.h: src/output/remote-write.pb-c.c
src/output/otlp.pb-c.c: src/output/otlp.proto
	$(AM_V_GEN)$(make_protobuf) $(srcdir)/src/output/otlp.proto
src/output/pprof.pb-c.c: src/output/pprof.proto
	$(AM_V_GEN)$(make_protobuf) $(srcdir)/src/output/pprof.proto
src/output/remote-write.pb-c.c: src/output/remote-write.proto
	$(AM_V_GEN)$(make_protobuf) $(srcdir)/src/output/remote-write.proto
make_protobuf = $(PROTOC_C) -I$(srcdir)/src/output --c_out=src/output
else
EXTRA_DIST += $(protobuf_formats)
endif
