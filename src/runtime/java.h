/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_RUNTIME_JAVA_H
#define PTOP_RUNTIME_JAVA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * HotSpot writes down the names of the code that it has compiled when it is told "jcmd Compiler.perfmap", since
 * JDK 17: into /tmp/perf-PID.map of its own root folder.  It takes commands over a socket of its own user
 * (the attach protocol, src/hotspot/os/posix/attachListener_posix.cpp).  It opens that socket when it gets
 * SIGQUIT and finds a file of that user, .attach_pidPID, in its current folder or in /tmp.
 */
enum java_result {
	JAVA_NAMED, /* the file is written */
	JAVA_NONE,  /* it is no Java program */
	JAVA_STARTING, /* it does not handle SIGQUIT yet, and has no socket (with -Xrs it has one from the start) */
	JAVA_FORBIDDEN, /* -XX:+DisableAttachMechanism */
	JAVA_TOO_OLD,   /* before JDK 17 */
	JAVA_DENIED,    /* its user is another one, or its folders let nobody in */
	JAVA_SILENT,    /* no answer within JAVA_ANSWER_MS */
	JAVA_FAILED,    /* the answer is another one */
	JAVA_RESULTS
};

#define JAVA_ANSWER_MS 3000

/* Why there are no names: N_(), to follow "PID: "; NULL for those that need no word. */
const char *java_result_text(enum java_result r);

/*
 * Has the program PID, as it is seen below PROC_ROOT ("/proc"), write its map.  Gives up this process's user
 * and groups for those of PID, for good: call it in a process of its own.  Reads at most some MiB of /proc.
 */
enum java_result java_write_map(const char *proc_root, uint32_t pid);

/* The parts of it that judge foreign bytes. */

struct java_process {
	uint32_t uid, gid, nspid; /* effective; NSPID is its number in its own name space */
	bool takes_quit;          /* SIGQUIT has a handler */
};

/* Reads /proc/PID/status, TEXT of SIZE bytes.  Returns false if a line is missing. */
bool java_status_parse(struct java_process *p, const char *text, size_t size);

/* /proc/PID/cmdline: arguments, each with a NUL behind it. */
bool java_forbids(const char *cmdline, size_t size);

/* The JVM's answer: a line with a number, 0 for done, and a text. */
enum java_result java_answer_parse(const char *text, size_t size);

#endif
