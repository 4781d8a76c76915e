# SPDX-License-Identifier: GPL-3.0-or-later
symbol_doors = cfi-entry.h demangle.h dso.h fetch.h function.h jit-parser.h jit-tail.h jitdump.h jitlist.h kernel.h line-reader.h lines.h load-state.h \
	load-worker.h object.h reader-pool.h vdso.h
src_libptop_a_SOURCES += \
	src/symbol/allowance.h \
	src/symbol/cfi-entry.c src/symbol/cfi-entry.h \
	src/symbol/debugfile.c src/symbol/debugfile.h \
	src/symbol/demangle.c src/symbol/demangle.h \
	src/symbol/disassembly.c src/symbol/disassembly.h \
	src/symbol/dso.c src/symbol/dso.h \
	src/symbol/dso-key.h \
	src/symbol/elfcalls.c src/symbol/elfcalls.h \
	src/symbol/elfcfi.c src/symbol/elfcfi.h \
	src/symbol/elfplt.c src/symbol/elfplt.h \
	src/symbol/elfsym.c src/symbol/elfsym.h \
	src/symbol/fetch.c src/symbol/fetch.h \
	src/symbol/file-reader.c src/symbol/file-reader.h \
	src/symbol/function.c src/symbol/function.h \
	src/symbol/jitcode.c src/symbol/jitcode.h \
	src/symbol/jit-entries.c src/symbol/jit-entries.h \
	src/symbol/jit-parser.h \
	src/symbol/jit-tail.c src/symbol/jit-tail.h \
	src/symbol/jitdump.c src/symbol/jitdump.h \
	src/symbol/jitlist.c src/symbol/jitlist.h \
	src/symbol/jitrecord.c src/symbol/jitrecord.h \
	src/symbol/kallsyms.c src/symbol/kallsyms.h \
	src/symbol/kcore.c src/symbol/kcore.h \
	src/symbol/kernel.c src/symbol/kernel.h \
	src/symbol/kmodule.c src/symbol/kmodule.h \
	src/symbol/ksymbols.c src/symbol/ksymbols.h \
	src/symbol/line-answer.c src/symbol/line-answer.h \
	src/symbol/line-block.c src/symbol/line-block.h \
	src/symbol/line-entry.c src/symbol/line-entry.h \
	src/symbol/line-kernel.c src/symbol/line-kernel.h \
	src/symbol/line-reader.c src/symbol/line-reader.h \
	src/symbol/line-request.h \
	src/symbol/line-rows.c src/symbol/line-rows.h \
	src/symbol/lines.c src/symbol/lines.h \
	src/symbol/livecode.c src/symbol/livecode.h \
	src/symbol/load.c src/symbol/load.h \
	src/symbol/load-state.c src/symbol/load-state.h \
	src/symbol/load-worker.c src/symbol/load-worker.h \
	src/symbol/loader.c src/symbol/loader.h \
	src/symbol/minidebug.c src/symbol/minidebug.h \
	src/symbol/names.c src/symbol/names.h \
	src/symbol/object.c src/symbol/object.h \
	src/symbol/package.c src/symbol/package.h \
	src/symbol/pclntab.c src/symbol/pclntab.h \
	src/symbol/perfmap.c src/symbol/perfmap.h \
	src/symbol/reader-pool.c src/symbol/reader-pool.h \
	src/symbol/relocate.c src/symbol/relocate.h \
	src/symbol/scan.h \
	src/symbol/symbol-source.c src/symbol/symbol-source.h \
	src/symbol/split.c src/symbol/split.h \
	src/symbol/srcline.c src/symbol/srcline.h \
	src/symbol/symtab.c src/symbol/symtab.h \
	src/symbol/symtab-block.c src/symbol/symtab-block.h \
	src/symbol/symtab-layout.h \
	src/symbol/vdso.c src/symbol/vdso.h \
	src/symbol/vmlinux.c src/symbol/vmlinux.h
