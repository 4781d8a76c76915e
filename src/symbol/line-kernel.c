/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/line-kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "symbol/kcore.h"

static void set_release(struct line_kernel *k, const char *release)
{
	snprintf(k->release, sizeof(k->release), "%s", release);
	k->vmlinux.release = k->release;
}

static void find_identity(struct line_kernel *k, const struct lines_options *o)
{
	struct utsname system;

	if (o->kernel) {
		k->vmlinux.build_id = o->kernel->build_id;
		set_release(k, o->kernel->release);
	} else if (!uname(&system)) {
		k->vmlinux.build_id = kernel_build_id("/sys/kernel/notes");
		set_release(k, system.release);
	}
	k->vmlinux.local = o->local;
}

static uint64_t modules_mark(const struct lines_options *o)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/modules", o->proc_root);
	return kernel_modules_mark(path);
}

bool line_kernel_has_moved(const struct line_kernel *k, const struct lines_options *o)
{
	return k->is_module && k->modules_mark != modules_mark(o);
}

/* "[nf_tables]".  A copied kernel's modules were elsewhere. */
static void open_module(struct line_kernel *k, const char *path, const struct lines_options *o)
{
	const struct kmodule_roots roots = {
		.sys = o->modules ? o->modules : "/sys/module",
		.files = o->module_files ? o->module_files : "/lib/modules",
		.release = k->release,
	};
	const size_t length = strlen(path);
	char name[64] = "";

	k->is_module = true;
	k->modules_mark = modules_mark(o);
	if (length >= 2 && length - 2 < sizeof(name))
		memcpy(name, path + 1, length - 2);
	if (o->kernel && !o->modules)
		error_set(&k->module_error, "%s: %s", path, strerror(ENOENT));
	else
		kmodule_read(&k->module, &roots, name, &k->module_error);
}

void line_kernel_open(struct line_kernel *k, const struct dso_key *key,
		      const struct lines_options *o)
{
	char path[4096];

	*k = (struct line_kernel){ .kcore = NULL };
	snprintf(path, sizeof(path), "%s/kcore", o->proc_root);
	k->kcore = kcore_open(o->kcore ? o->kcore : path, &k->error);
	set_release(k, "");
	if (key->kind != DSO_KERNEL)
		return;
	find_identity(k, o);
	if (strcmp(key->path, LINE_KERNEL_PATH))
		open_module(k, key->path, o);
	else if (!kernel_find(o->kallsyms ? o->kallsyms : "/proc/kallsyms", &k->place))
		k->place = (struct kernel_place){ .name = NULL };
}

void line_kernel_close(struct line_kernel *k)
{
	object_free(k->kcore);
	k->kcore = NULL;
	kmodule_fini(&k->module);
}

size_t line_kernel_code(const struct line_kernel *k, uint64_t address, void *bytes, size_t size,
			uint16_t *machine)
{
	if (!k->kcore)
		return 0;
	*machine = k->kcore->header.e_machine;
	return object_read_code(k->kcore, address, bytes, size);
}

void line_kernel_send(const struct line_kernel *k, struct line_kernel_message *m)
{
	memset(m, 0, sizeof(*m));
	if (k->place.name) {
		m->start = k->place.start;
		m->end = k->place.end;
		m->by_stext = !strcmp(k->place.name, "_stext");
	}
	m->local = k->vmlinux.local;
	m->is_module = k->is_module;
	m->id_size = k->vmlinux.build_id.size;
	memcpy(m->id, k->vmlinux.build_id.bytes, sizeof(m->id));
	memcpy(m->release, k->release, sizeof(m->release));
}

void line_kernel_receive(struct line_kernel *k, const struct line_kernel_message *m, int module)
{
	*k = (struct line_kernel){ .kcore = NULL };
	k->vmlinux.build_id = build_id_of(m->id, m->id_size);
	k->vmlinux.local = m->local;
	k->is_module = m->is_module;
	if (module >= 0)
		kmodule_receive(&k->module, module);
	set_release(k, m->release);
	if (m->end)
		k->place =
			(struct kernel_place){ m->by_stext ? "_stext" : "_text", m->start, m->end };
}
