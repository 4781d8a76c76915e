/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_DEMANGLE_H
#define PTOP_SYMBOL_DEMANGLE_H

/*
 * Returns the source-level name of a mangled C++, Rust (legacy and v0) or D name, owned by the
 * caller.  Returns NULL if NAME is not mangled or longer than 4 KiB, or without a demangler.
 */
char *symbol_demangle(const char *name);

#endif
