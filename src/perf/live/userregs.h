/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_USERREGS_H
#define PTOP_PERF_LIVE_USERREGS_H

#include <stdint.h>

/*
 * The registers that unwinding a user stack needs (perf_event_attr.sample_regs_user): all general
 * ones.  Bit numbers are the kernel's, arch/ARCH/include/uapi/asm/perf_regs.h.  0: no unwinding of
 * stack copies on this architecture.  USER_PC is the bit of the one that says where the program is.
 */
#if defined(__x86_64__)
#define USER_REGS_MASK UINT64_C(0xff0fff) /* without the segments DS, ES, FS, GS: EINVAL */
#define USER_PC 8
#elif defined(__aarch64__)
#define USER_REGS_MASK UINT64_C(0x1ffffffff) /* x0 to x30, sp, pc */
#define USER_PC 32
#elif defined(__riscv)
#define USER_REGS_MASK UINT64_C(0xffffffff) /* pc in the place of x0, then x1 to x31 */
#define USER_PC 0
#else
#define USER_REGS_MASK UINT64_C(0)
#define USER_PC 0
#endif

/*
 * The registers that give, without a copy of the stack, the caller that chains of frame pointers
 * leave out: that of a function without a frame record.  0: none do.  A machine whose calls push
 * the return address would need a copy.
 */
#if defined(__aarch64__)
#define LEAF_REGS_MASK UINT64_C(0x1e0000000) /* x29, x30, sp, pc */
#else
#define LEAF_REGS_MASK UINT64_C(0)
#endif

#endif
