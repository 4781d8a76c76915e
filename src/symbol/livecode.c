/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/livecode.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"
#include "symbol/object.h"

/* The e_machine of the process's program, by the first bytes of its file; 0: unknown. */
static uint16_t machine_of(const struct livecode *c)
{
	struct {
		unsigned char ident[EI_NIDENT];
		uint16_t type, machine;
	} head;
	char path[4096];
	bool whole;
	int fd;

	snprintf(path, sizeof(path), "%s/%u/exe", c->proc_root, c->pid);
	fd = object_open_file(path);
	if (fd < 0)
		return 0;
	whole = io_read_at(fd, 0, &head, sizeof(head)) == sizeof(head) &&
		!memcmp(head.ident, ELFMAG, SELFMAG);
	close(fd);
	if (!whole)
		return 0;
	return head.ident[EI_DATA] == ELFDATA2LSB ? le16toh(head.machine) : be16toh(head.machine);
}

/* The device of memory that is mapped by a descriptor, or shared without one; 0: unknown. */
static dev_t memory_device(void)
{
	int fd = memfd_create("ptop", MFD_CLOEXEC);
	struct stat file;
	bool known = fd >= 0 && !fstat(fd, &file);

	if (fd >= 0)
		close(fd);
	return known ? file.st_dev : 0;
}

/*
 * A line of /proc/PID/maps: "7efd07d89000-7efd07d8a000 rwxp 00000000 00:00 0".  True if it is memory to execute.
 * Not a file: its file system may be the process's own and never answer, and its code is read from the file.
 */
static bool is_code(const char *line, dev_t memory, unsigned long long *from,
		    unsigned long long *to)
{
	unsigned major, minor;
	char execute;

	return sscanf(line, "%llx-%llx %*c%*c%c%*c %*x %x:%x", from, to, &execute, &major,
		      &minor) == 5 &&
	       execute == 'x' && ((!major && !minor) || makedev(major, minor) == memory);
}

/* The number of the SIZE bytes at ADDRESS that a process may execute, by its list of mappings. */
static size_t executable_bytes(const struct livecode *c, size_t size)
{
	uint64_t at = c->address, end = size < UINT64_MAX - at ? at + size : UINT64_MAX;
	const dev_t memory = memory_device();
	unsigned long long from = 0, to = 0;
	char path[4096], *line = NULL;
	size_t room = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/%u/maps", c->proc_root, c->pid);
	maps = fopen(path, "re");
	while (maps && at < end && getline(&line, &room, maps) > 0) {
		bool code = is_code(line, memory, &from, &to);

		if (to <= at)
			continue;
		if (from > at || !code)
			break;
		at = to < end ? to : end;
	}
	free(line);
	if (maps)
		fclose(maps);
	return at - c->address;
}

/*
 * A program file that has capabilities lends them to whoever runs it, for measuring.  That person sees no memory
 * of others that ptrace(2) would not show without them.
 */
static bool may_read(const struct livecode *c)
{
	struct stat process;
	char path[4096];

	if (!getauxval(AT_SECURE) || !getuid())
		return true;
	snprintf(path, sizeof(path), "%s/%u", c->proc_root, c->pid);
	return !stat(path, &process) && process.st_uid == getuid();
}

size_t livecode_read(const struct livecode *c, void *bytes, size_t size, uint16_t *machine,
		     struct error *err)
{
	const bool may = may_read(c);
	const size_t code = may ? executable_bytes(c, size) : 0;
	const struct iovec here = { bytes, code };
	const struct iovec there = { (void *)(uintptr_t)c->address, code };
	ssize_t n = code ? process_vm_readv((pid_t)c->pid, &here, 1, &there, 1, 0) : 0;

	if (n <= 0) {
		error_set(err, _("cannot read the memory of process %u: %s"), c->pid,
			  strerror(n < 0 ? errno
				   : may ? EFAULT
					 : EPERM));
		return 0;
	}
	*machine = machine_of(c);
	return (size_t)n;
}
