/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_DEMANGLE_H
#define PTOP_SYMBOL_DEMANGLE_H

/*
 * The source-level name of a mangled C++, Rust (legacy and v0) or D name, owned by the caller;
 * NULL when NAME is not mangled, is longer than 4 KiB, or there is no demangler.
 */
char *symbol_demangle(const char *name);

#endif
