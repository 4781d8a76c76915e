/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/livecode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "base/i18n.h"
#include "symbol/object.h"

/* 0: unknown. */
static uint16_t machine_of(const struct livecode *c)
{
	struct object *program;
	char path[4096];
	uint16_t machine;

	snprintf(path, sizeof(path), "%s/%u/exe", c->proc_root, c->pid);
	program = object_new_elf(object_open_file(path));
	machine = program ? program->header.e_machine : 0;
	object_free(program);
	return machine;
}

size_t livecode_read(const struct livecode *c, void *bytes, size_t size, uint16_t *machine,
		     struct error *err)
{
	const struct iovec here = { bytes, size };
	const struct iovec there = { (void *)(uintptr_t)c->address, size };
	ssize_t n = process_vm_readv((pid_t)c->pid, &here, 1, &there, 1, 0);

	if (n <= 0) {
		error_set(err, _("cannot read the memory of process %u: %s"), c->pid,
			  strerror(n < 0 ? errno : EFAULT));
		return 0;
	}
	*machine = machine_of(c);
	return (size_t)n;
}
