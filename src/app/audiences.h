/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_AUDIENCES_H
#define PTOP_APP_AUDIENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "profile/snapshot.h"
#include "share/segment.h"

/*
 * The viewers of root's server that may not read its shared memory.  Each of them connects to a socket beside that.  The
 * kernel tells whose it is (SO_PEERCRED, unix(7)).  All viewers of one user are an audience: they get a descriptor for
 * reading of memory in which the server publishes what that user may see (share/audience.h).  The memory has no name, so
 * nothing is left behind by a server that is killed.
 *
 * A connection tells that its viewer lives.  An audience without one ends with the next snapshot.  Then its memory is
 * given back, whoever has it open.
 *
 * Viewers that may read the object connect to another socket, which has the object's mode, so that no other user holds
 * them up.  By both kinds of connections viewers ask for what is to be measured (app/asks.h), one request at a time.  Who
 * may ask for nothing is not read from.
 */
#define AUDIENCES_MAX 16 /* users at one time */
#define AUDIENCES_FACTOR 2
#define AUDIENCE_VIEWERS 256     /* connections, of all users */
#define AUDIENCE_VIEWERS_USER 64 /* of one user */
#define AUDIENCE_ACCEPTS 16      /* connections that are answered at once */
#define AUDIENCE_READY 64        /* connections that are heard at once */
#define AUDIENCE_REST_MS 100     /* then nobody is answered or heard */
#define AUDIENCE_READERS 128     /* connections of who may read the object, */
#define AUDIENCE_READERS_USER 16 /* and of one user other than root and the server's */

struct asks;
struct audiences;

/* Snapshots that found no room. */
struct unpublished {
	uint64_t count;
	int error; /* errno of the last of them */
};

void unpublished_add(struct unpublished *u,
		     int result); /* of publishing one: 0, or a negative errno */
void unpublished_tell(const struct unpublished *u, struct buf *notes);

struct audiences_choice {
	const struct segment_choice *segment; /* this process holds that object */
	bool users;                           /* every user may attach: this is root */
	unsigned allowed;  /* bits 1 << enum permission: what viewers of others may ask for */
	struct asks *asks; /* borrowed */
};

/*
 * Makes the sockets beside the object of CHOICE.  Those that are there are replaced, or removed if nobody is to connect.
 * An audience takes an eighth of the object's bytes, but SEGMENT_BYTES_MIN at least.  All together take at most
 * AUDIENCES_FACTOR times that size.  NOTES gets a line for each socket that cannot be made: anybody can make a folder of
 * its name, and that does not stop the server.
 */
struct audiences *audiences_open(const struct audiences_choice *choice, struct buf *notes);

/* Removes the sockets, and tells NOTES what could not be published.  NULL is allowed, as below. */
void audiences_close(struct audiences *a, struct buf *notes);

/*
 * Returns the descriptor that is readable when viewers want to be answered, or -1.  Shortens *TIMEOUT_MS to the time
 * after which to ask again.
 */
int audiences_fd(const struct audiences *a, int *timeout_ms);

/* Returns true if there is an audience, as of the last answer or snapshot. */
bool audiences_any(const struct audiences *a);

/*
 * Answers who waits at the sockets, and hears requests.  SNAPSHOT is the newest, or NULL.  If it tells whose each process
 * is (OWNED) and has an interval, a new audience gets it at once.
 */
void audiences_answer(struct audiences *a, const struct snapshot *snapshot, bool owned);

/* Ends audiences without viewers and publishes SNAPSHOT to the others. */
void audiences_publish(struct audiences *a, const struct snapshot *snapshot);

/*
 * A viewer's side: asks root's server NAME.  Returns a descriptor for segment_view_of(), owned by the caller; -1 with ERR
 * set.  *CONNECTION, likewise, is to be open as long as it is read.
 */
int audiences_ask(const char *name, int *connection, struct error *err);

/*
 * The same for who has opened the object of USER (root, or this one).  Returns a connection that is owned by the caller;
 * -1 if the server takes none.  Never waits.
 */
int audiences_connect(const char *name, uint32_t user);

/*
 * Returns true if each user, or group, of the machine has its number here by the file MAP (/proc/self/uid_map, gid_map).  The others look
 * alike: nobody who looks so is an audience.
 */
bool audiences_ids_mapped(const char *map);

/* Returns true if the file MOUNTS (/proc/self/mounts) has a /proc that hides processes of others, or cannot be read. */
bool audiences_proc_hides(const char *mounts);

#endif
