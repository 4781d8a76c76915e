# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests += \
	tests/symbol/test-bounds \
	tests/symbol/test-demangle \
	tests/symbol/test-disassembly \
	tests/symbol/test-dso \
	tests/symbol/test-elf \
	tests/symbol/test-function \
	tests/symbol/test-hostile \
	tests/symbol/test-hostile-set \
	tests/symbol/test-jitcode \
	tests/symbol/test-jitdump \
	tests/symbol/test-kcore \
	tests/symbol/test-kmodule \
	tests/symbol/test-ksymbols \
	tests/symbol/test-lines \
	tests/symbol/test-lists \
	tests/symbol/test-line-reader \
	tests/symbol/test-load-worker \
	tests/symbol/test-loader \
	tests/symbol/test-named-by \
	tests/symbol/test-pclntab \
	tests/symbol/test-symtab \
	tests/symbol/test-symtab-block
tests_symbol_test_bounds_SOURCES = tests/symbol/test-bounds.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_demangle_SOURCES = tests/symbol/test-demangle.c tests/unit.h
tests_symbol_test_function_SOURCES = tests/symbol/test-function.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_dso_SOURCES = tests/symbol/test-dso.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_disassembly_SOURCES = tests/symbol/test-disassembly.c tests/unit.h
tests_symbol_test_jitcode_SOURCES = tests/symbol/test-jitcode.c tests/symbol/dump.c \
	tests/symbol/dump.h tests/unit.h
tests_symbol_test_jitdump_SOURCES = tests/symbol/test-jitdump.c tests/symbol/dump.c \
	tests/symbol/dump.h tests/unit.h
tests_symbol_test_hostile_SOURCES = tests/symbol/test-hostile.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_hostile_set_SOURCES = tests/symbol/test-hostile-set.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/symbol/dump.c tests/symbol/dump.h tests/unit.h
tests_symbol_test_kcore_SOURCES = tests/symbol/test-kcore.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_kmodule_SOURCES = tests/symbol/test-kmodule.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_ksymbols_SOURCES = tests/symbol/test-ksymbols.c tests/unit.h
tests_symbol_test_line_reader_SOURCES = tests/symbol/test-line-reader.c tests/symbol/fixture.c \
	tests/symbol/fixture.h $(bad_jobs)
tests_symbol_test_lines_SOURCES = tests/symbol/test-lines.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_load_worker_SOURCES = tests/symbol/test-load-worker.c tests/symbol/dump.c tests/symbol/fixture.c \
	tests/symbol/fixture.h $(bad_jobs)
tests_symbol_test_loader_SOURCES = tests/symbol/test-loader.c tests/unit.h
tests_symbol_test_lists_SOURCES = tests/symbol/test-lists.c tests/unit.h
tests_symbol_test_named_by_SOURCES = tests/symbol/test-named-by.c tests/symbol/dump.c tests/symbol/dump.h \
	tests/symbol/fixture.c tests/symbol/fixture.h tests/unit.h
tests_symbol_test_pclntab_SOURCES = tests/symbol/test-pclntab.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_symtab_block_SOURCES = tests/symbol/test-symtab-block.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h
tests_symbol_test_symtab_SOURCES = tests/symbol/test-symtab.c tests/unit.h
tests_symbol_test_elf_SOURCES = tests/symbol/test-elf.c tests/symbol/fixture.c \
	tests/symbol/fixture.h tests/unit.h

fuzz_tests += tests/symbol/fuzz-elf
tests_symbol_fuzz_elf_SOURCES = tests/symbol/fuzz-elf.c $(fuzz_main)
tests_symbol_fuzz_elf_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"elf"'
tests_symbol_fuzz_elf_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-jitdump
tests_symbol_fuzz_jitdump_SOURCES = tests/symbol/fuzz-jitdump.c $(fuzz_main)
tests_symbol_fuzz_jitdump_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"jitdump"'
tests_symbol_fuzz_jitdump_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-lines
tests_symbol_fuzz_lines_SOURCES = tests/symbol/fuzz-lines.c $(fuzz_main)
tests_symbol_fuzz_lines_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"lines"'
tests_symbol_fuzz_lines_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-pclntab
tests_symbol_fuzz_pclntab_SOURCES = tests/symbol/fuzz-pclntab.c $(fuzz_main)
tests_symbol_fuzz_pclntab_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"pclntab"'
tests_symbol_fuzz_pclntab_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-perfmap
tests_symbol_fuzz_perfmap_SOURCES = tests/symbol/fuzz-perfmap.c $(fuzz_main)
tests_symbol_fuzz_perfmap_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"perfmap"'
tests_symbol_fuzz_perfmap_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-split
tests_symbol_fuzz_split_SOURCES = tests/symbol/fuzz-split.c $(fuzz_main)
tests_symbol_fuzz_split_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"split"'
tests_symbol_fuzz_split_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-line-block
tests_symbol_fuzz_line_block_SOURCES = tests/symbol/fuzz-line-block.c tests/symbol/line-walk.h $(fuzz_main)
tests_symbol_fuzz_line_block_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"line-block"'
tests_symbol_fuzz_line_block_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-symtab-block
tests_symbol_fuzz_symtab_block_SOURCES = tests/symbol/fuzz-symtab-block.c $(fuzz_main)
tests_symbol_fuzz_symtab_block_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"symtab-block"'
tests_symbol_fuzz_symtab_block_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-kallsyms
tests_symbol_fuzz_kallsyms_SOURCES = tests/symbol/fuzz-kallsyms.c $(fuzz_main)
tests_symbol_fuzz_kallsyms_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"kallsyms"'
tests_symbol_fuzz_kallsyms_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

unit_tests += tests/symbol/test-kernel
tests_symbol_test_kernel_SOURCES = tests/symbol/test-kernel.c tests/unit.h

fuzz_tests += tests/symbol/fuzz-load-answer
tests_symbol_fuzz_load_answer_SOURCES = tests/symbol/fuzz-load-answer.c tests/symbol/evil-worker.h $(fuzz_main)
tests_symbol_fuzz_load_answer_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"load-answer"'
tests_symbol_fuzz_load_answer_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-line-answer
tests_symbol_fuzz_line_answer_SOURCES = tests/symbol/fuzz-line-answer.c tests/symbol/evil-worker.h tests/symbol/line-walk.h $(fuzz_main)
tests_symbol_fuzz_line_answer_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"line-answer"'
tests_symbol_fuzz_line_answer_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-object-cache
tests_symbol_fuzz_object_cache_SOURCES = tests/symbol/fuzz-object-cache.c $(fuzz_main)
tests_symbol_fuzz_object_cache_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"object-cache"'
tests_symbol_fuzz_object_cache_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-demangle
tests_symbol_fuzz_demangle_SOURCES = tests/symbol/fuzz-demangle.c $(fuzz_main)
tests_symbol_fuzz_demangle_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"demangle"'
tests_symbol_fuzz_demangle_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-disassembly
tests_symbol_fuzz_disassembly_SOURCES = tests/symbol/fuzz-disassembly.c $(fuzz_main)
tests_symbol_fuzz_disassembly_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"disassembly"'
tests_symbol_fuzz_disassembly_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-debugfile
tests_symbol_fuzz_debugfile_SOURCES = tests/symbol/fuzz-debugfile.c $(fuzz_main)
tests_symbol_fuzz_debugfile_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"debugfile"'
tests_symbol_fuzz_debugfile_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)

fuzz_tests += tests/symbol/fuzz-kernel
tests_symbol_fuzz_kernel_SOURCES = tests/symbol/fuzz-kernel.c $(fuzz_main)
tests_symbol_fuzz_kernel_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_CORPUS='"kernel"'
tests_symbol_fuzz_kernel_LDFLAGS = $(AM_LDFLAGS) $(fuzz_link)
