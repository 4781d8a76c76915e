/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

#ifdef HAVE_DEBUGINFOD
#include <dlfcn.h>
#include <elfutils/debuginfod.h>

/* The functions of the library that are used. */
struct library {
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_end) end;
	__typeof__(&debuginfod_find_debuginfo) find_debuginfo;
	__typeof__(&debuginfod_find_source) find_source;
	__typeof__(&debuginfod_set_progressfn) set_progress;
	__typeof__(&debuginfod_set_user_data) set_user_data;
	__typeof__(&debuginfod_get_user_data) get_user_data;
	__typeof__(&debuginfod_set_verbose_fd) set_verbose_fd;
};

/* Never closed: libcurl leaves handlers behind, whose code must stay loaded. */
static bool library_open(struct library *l)
{
	void *handle = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!handle)
		return false;
	l->begin = (__typeof__(l->begin))dlsym(handle, "debuginfod_begin");
	l->end = (__typeof__(l->end))dlsym(handle, "debuginfod_end");
	l->find_debuginfo =
		(__typeof__(l->find_debuginfo))dlsym(handle, "debuginfod_find_debuginfo");
	l->find_source = (__typeof__(l->find_source))dlsym(handle, "debuginfod_find_source");
	l->set_progress = (__typeof__(l->set_progress))dlsym(handle, "debuginfod_set_progressfn");
	l->set_user_data = (__typeof__(l->set_user_data))dlsym(handle, "debuginfod_set_user_data");
	l->get_user_data = (__typeof__(l->get_user_data))dlsym(handle, "debuginfod_get_user_data");
	l->set_verbose_fd =
		(__typeof__(l->set_verbose_fd))dlsym(handle, "debuginfod_set_verbose_fd");
	return l->begin && l->end && l->find_debuginfo && l->find_source && l->set_progress &&
	       l->set_user_data && l->get_user_data && l->set_verbose_fd;
}

/* The library reports its progress; a result other than 0 makes it stop. */
static int check_progress(debuginfod_client *client, long done, long all)
{
	const struct fetch_request *r;
	struct library l;

	if (!library_open(&l))
		return 1;
	r = l.get_user_data(client);
	if ((uint64_t)done > FETCH_BYTES_MAX || (uint64_t)all > FETCH_BYTES_MAX)
		return 1;
	return r->checkpoint && r->checkpoint(r->context);
}

bool fetch_is_wanted(void)
{
	const char *urls = secure_getenv(DEBUGINFOD_URLS_ENV_VAR);

	return urls && urls[strspn(urls, " \t")];
}

/* The source file at PATH, or the debug file if PATH is NULL. */
static int fetch(const struct fetch_request *r, const char *path, struct error *err)
{
	debuginfod_client *client;
	struct library l;
	int fd;

	if (!library_open(&l))
		return error_set(err, _("%s cannot be used"), DEBUGINFOD_SONAME);
	client = l.begin();
	if (!client)
		return error_set(err, _("%s cannot be used"), DEBUGINFOD_SONAME);
	/* The library's own messages would go to the terminal, over the screen. */
	l.set_verbose_fd(client, -1);
	l.set_user_data(client, (void *)(uintptr_t)r);
	l.set_progress(client, check_progress);
	if (path)
		fd = l.find_source(client, r->build_id.bytes, r->build_id.size, path, NULL);
	else
		fd = l.find_debuginfo(client, r->build_id.bytes, r->build_id.size, NULL);
	l.end(client);
	return fd >= 0 ? fd : error_set(err, "debuginfod: %s", strerror(-fd));
}

int fetch_debug_file(const struct fetch_request *r, struct error *err)
{
	return fetch(r, NULL, err);
}

int fetch_source_file(const struct fetch_request *r, const char *path, struct error *err)
{
	return fetch(r, path, err);
}
#else
bool fetch_is_wanted(void)
{
	return false;
}

int fetch_debug_file(const struct fetch_request *r, struct error *err)
{
	(void)r;
	return error_set(err, "%s", _("ptop was built without debuginfod"));
}

int fetch_source_file(const struct fetch_request *r, const char *path, struct error *err)
{
	(void)path;
	return fetch_debug_file(r, err);
}
#endif
