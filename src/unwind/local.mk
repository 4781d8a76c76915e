# SPDX-License-Identifier: GPL-3.0-or-later
unwind_doors = stitch.h unwind.h unwind-worker.h
src_libptop_a_SOURCES += \
	src/unwind/cfi.c src/unwind/cfi.h src/unwind/cfi-value.h \
	src/unwind/edge.c src/unwind/edge.h \
	src/unwind/edge-table.c src/unwind/edge-table.h \
	src/unwind/dwarf-expression.c src/unwind/dwarf-expression.h \
	src/unwind/unwind-file.c src/unwind/unwind-file.h \
	src/unwind/unwind-object.c src/unwind/unwind-object.h \
	src/unwind/regs.c src/unwind/regs.h \
	src/unwind/rule.c src/unwind/rule.h \
	src/unwind/stack.h \
	src/unwind/stitch.c src/unwind/stitch.h \
	src/unwind/table-maker.c src/unwind/table-maker.h \
	src/unwind/tables.h \
	src/unwind/unwind-worker.c src/unwind/unwind-worker.h \
	src/unwind/unwind.c src/unwind/unwind.h \
	src/unwind/walk.h
