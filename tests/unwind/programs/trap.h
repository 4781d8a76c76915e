/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From here on the test follows, when it is told so; the function may not return. */
#if defined(__x86_64__)
#define TRAP __asm__ volatile("int3")
#else
#define TRAP __asm__ volatile("brk #0")
#endif
