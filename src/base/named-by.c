/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/named-by.h"

#include <stddef.h>

#include "base/i18n.h"

/* clang-format off */
static const char *const words[NAMED_BY_COUNT] = {
	[NAMED_BY_KALLSYMS] = "kallsyms",
	[NAMED_BY_SYMTAB] = ".symtab",
	[NAMED_BY_DEBUG_FILE] = N_("debug file"),
	[NAMED_BY_DEBUGINFOD] = N_("debug file (debuginfod)"),
	[NAMED_BY_MINIDEBUG] = ".gnu_debugdata",
	[NAMED_BY_DYNSYM] = ".dynsym",
	[NAMED_BY_PCLNTAB] = ".gopclntab",
	[NAMED_BY_PLT] = ".plt",
	[NAMED_BY_CFI] = ".eh_frame",
	[NAMED_BY_PERF_MAP] = N_("perf map"),
	[NAMED_BY_JITDUMP] = N_("jitdump"),
	[NAMED_BY_KERNEL] = "kernel",
	[NAMED_BY_DEBUG_INFO] = ".debug_info",
	[NAMED_BY_PYTHON] = N_("interpreter"),
	[NAMED_BY_CALLS] = N_("calls"),
};
/* clang-format on */

const char *named_by_word(uint32_t named_by)
{
	return named_by < NAMED_BY_COUNT ? words[named_by] : NULL;
}
