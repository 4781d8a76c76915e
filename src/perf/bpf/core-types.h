/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_BPF_CORE_TYPES_H
#define PTOP_PERF_BPF_CORE_TYPES_H

/*
 * The few members of the kernel's structs that the program reads, and no more of vmlinux.h than <bpf/bpf_helpers.h>
 * needs.  libbpf finds each member by its name in the running kernel's BTF (CO-RE), so places and other members do not
 * matter.
 */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef _Bool bool;
enum { false, true };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct task_struct {
	int pid, tgid;
	struct signal_struct *signal;
};

struct signal_struct {
	struct task_struct *group_exec_task;
	atomic_t live; /* its threads that have not begun to end */
};

struct pt_regs;

/* The number of a call in each architecture's registers; libbpf takes no notice of what follows ___. */
struct pt_regs___x86 {
	unsigned long orig_ax;
};

struct pt_regs___arm64 {
	int syscallno;
};

struct pt_regs___riscv {
	unsigned long orig_a0, a7;
};

#pragma clang attribute pop

/* include/uapi/linux/bpf.h */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_RINGBUF = 27
};
enum { BPF_RB_NO_WAKEUP = 1 };
enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_F_USER_STACK = 1 << 8, BPF_F_MMAPABLE = 1 << 10 };

#endif
