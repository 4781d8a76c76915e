/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/audiences.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "share/audience.h"
#include "share/block.h"
#include "share/segment.h"
#include "worker/channel.h"

#define ANSWER_MAGIC 0x31657375706f7470ull
#define MOUNTS "/proc/self/mounts"
#define ATTEMPTS 8      /* to make the socket, beside somebody who makes files of its name */
#define ANSWER_S 10     /* that a viewer waits: a busy machine, or a full queue */
#define UNMAPPED 65534u /* the kernel's default, see unmapped_of() */

/* The answer of a server to a viewer. */
enum answer_kind {
	ANSWER_GIVEN, /* with a descriptor */
	ANSWER_MANY_USERS,
	ANSWER_MANY_VIEWERS,
	ANSWER_STRANGER,
	ANSWER_NO_MEMORY,
	ANSWERS
};

struct answer {
	uint64_t magic;
	uint64_t kind; /* enum answer_kind */
};

struct seat {
	struct audience audience;
	struct segment *segment;
	int fd;           /* of it, for reading: what viewers get */
	uint64_t time_ns; /* of the snapshot that it has; 0: none yet */
	size_t viewers;
};

struct connection {
	int fd;
	uint32_t uid;
};

struct audiences {
	int listener;
	struct sockaddr_un address;
	struct seat seats[AUDIENCES_MAX];
	size_t count, most; /* of them */
	struct connection connections[AUDIENCE_VIEWERS];
	size_t connection_count;
	uint64_t bytes; /* of one audience */
	uint64_t delay_ns;
	uint64_t rest_ns; /* CLOCK_MONOTONIC: until then nobody is answered */
	/* They can be several users, or groups, of which this user namespace knows none; -1: it knows all. */
	int64_t unmapped_uid, unmapped_gid;
	struct buf block;
	struct unpublished unpublished;
};

static uint64_t now_ns(void)
{
	return clock_monotonic_ns(&clock_system);
}

bool audiences_proc_hides(const char *mounts)
{
	FILE *file = setmntent(mounts, "re");
	char text[4096];
	struct mntent m;
	bool hides = true;

	while (file && getmntent_r(file, &m, text, sizeof(text))) {
		const char *option;

		if (strcmp(m.mnt_dir, "/proc") != 0 || strcmp(m.mnt_type, "proc") != 0)
			continue;
		option = hasmntopt(&m, "hidepid"); /* the last one lies on top */
		hides = option && strncmp(option, "hidepid=0", 9) != 0 &&
			strncmp(option, "hidepid=off", 11) != 0;
	}
	if (file)
		endmntent(file);
	return hides;
}

bool audiences_ids_mapped(const char *map)
{
	unsigned inside = 1, outside = 1, count = 0;
	FILE *file = fopen(map, "re");
	bool all = file && fscanf(file, "%u %u %u", &inside, &outside, &count) == 3 && !inside &&
		   !outside && count == UINT32_MAX;

	if (file)
		fclose(file);
	return all;
}

/* The number that stands for all ids which MAP lacks, by the file OVERFLOW (user_namespaces(7)); -1: it has all. */
static int64_t unmapped_of(const char *map, const char *overflow)
{
	FILE *file = fopen(overflow, "re");
	unsigned id = UNMAPPED;

	if (file && fscanf(file, "%u", &id) != 1)
		id = UNMAPPED;
	if (file)
		fclose(file);
	return audiences_ids_mapped(map) ? -1 : (int64_t)id;
}

/* Everybody may connect: the umask would take that from the file. */
static int bind_for_all(int fd, const struct sockaddr_un *address)
{
	mode_t mask = umask(0);
	int result = bind(fd, (const struct sockaddr *)address, sizeof(*address));

	umask(mask);
	return result;
}

/* The name is that of an object which this process has locked, so a socket there is no other server's. */
static int listen_at(const struct sockaddr_un *address, struct error *err)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool bound = false;

	for (int i = 0; fd >= 0 && i < ATTEMPTS && !bound; i++) {
		unlink(address->sun_path);
		bound = !bind_for_all(fd, address);
	}
	if (bound && !listen(fd, AUDIENCE_ACCEPTS))
		return fd;
	error_set(err, _("other users cannot attach: cannot listen at %s: %s"), address->sun_path,
		  strerror(errno));
	io_close(&fd);
	return -1;
}

static struct sockaddr_un address_of(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "/dev/shm/ptop-0%s%s:users",
		 *name ? "-" : "", name);
	return address;
}

void audiences_remove(const char *name)
{
	const struct sockaddr_un address = address_of(name);

	unlink(address.sun_path);
}

struct audiences *audiences_open(const char *name, uint64_t bytes, uint64_t delay_ns,
				 struct error *err)
{
	struct audiences *a = mem_alloc(sizeof(*a));
	uint64_t most;

	a->address = address_of(name);
	a->listener = listen_at(&a->address, err);
	if (a->listener < 0) {
		free(a);
		return NULL;
	}
	a->bytes = bytes * AUDIENCES_FACTOR / AUDIENCES_MAX;
	if (a->bytes < SEGMENT_BYTES_MIN)
		a->bytes = SEGMENT_BYTES_MIN;
	most = bytes * AUDIENCES_FACTOR / a->bytes;
	a->most = most < AUDIENCES_MAX ? (size_t)most : AUDIENCES_MAX;
	a->delay_ns = delay_ns;
	a->unmapped_uid = unmapped_of("/proc/self/uid_map", "/proc/sys/kernel/overflowuid");
	a->unmapped_gid = unmapped_of("/proc/self/gid_map", "/proc/sys/kernel/overflowgid");
	return a;
}

void unpublished_add(struct unpublished *u, int result)
{
	if (!result)
		return;
	u->count++;
	u->error = -result;
}

void unpublished_tell(const struct unpublished *u, struct buf *notes)
{
	if (u->count)
		buf_printf(notes,
			   ngettext("%" PRIu64 " snapshot could not be published: %s\n",
				    "%" PRIu64 " snapshots could not be published: %s\n", u->count),
			   u->count, strerror(u->error));
}

static void seat_end(struct seat *seat)
{
	io_close(&seat->fd);
	segment_discard(seat->segment);
}

void audiences_close(struct audiences *a, struct buf *notes)
{
	if (!a)
		return;
	unpublished_tell(&a->unpublished, notes);
	unlink(a->address.sun_path);
	io_close(&a->listener);
	for (size_t i = 0; i < a->connection_count; i++)
		io_close(&a->connections[i].fd);
	for (size_t i = 0; i < a->count; i++)
		seat_end(&a->seats[i]);
	buf_fini(&a->block);
	free(a);
}

int audiences_fd(const struct audiences *a, int *timeout_ms)
{
	uint64_t now = now_ns();

	if (!a)
		return -1;
	if (now >= a->rest_ns)
		return a->listener;
	if (*timeout_ms < 0 || *timeout_ms > AUDIENCE_REST_MS)
		*timeout_ms = AUDIENCE_REST_MS;
	return -1;
}

bool audiences_any(const struct audiences *a)
{
	return a && a->count;
}

static void seat_publish(struct audiences *a, struct seat *seat, const struct snapshot *s)
{
	struct snapshot *shown;
	int result;

	if (!s || !(s->interval_s > 0) || seat->time_ns == s->time_ns)
		return;
	shown = audience_snapshot(&seat->audience, s);
	result = block_write(shown, segment_room(seat->segment), &a->block) < 0
			 ? -EMSGSIZE
			 : segment_publish(seat->segment, &a->block, s->time_ns);
	snapshot_free(shown);
	seat->time_ns = s->time_ns;
	unpublished_add(&a->unpublished, result);
}

/* The seat of PEER, made when new.  A user with another group waits until that one has left.  NULL with *WHY set. */
static struct seat *seat_of(struct audiences *a, const struct ucred *peer, enum answer_kind *why)
{
	const uint64_t owner = owner_make(peer->uid, peer->gid);
	struct error err = { "" };
	struct seat *seat;

	*why = ANSWER_MANY_VIEWERS;
	for (size_t i = 0; i < a->count; i++) {
		if (owner_uid(a->seats[i].audience.owner) == peer->uid)
			return a->seats[i].audience.owner == owner ? &a->seats[i] : NULL;
	}
	*why = ANSWER_MANY_USERS;
	if (a->count == a->most)
		return NULL;
	seat = &a->seats[a->count];
	*seat = (struct seat){ .audience = { owner, audiences_proc_hides(MOUNTS) } };
	seat->segment = segment_create_unnamed(a->bytes, a->delay_ns, &seat->fd, &err);
	*why = ANSWER_NO_MEMORY;
	if (!seat->segment)
		return NULL;
	a->count++;
	return seat;
}

/* A seat for the viewer PEER.  NULL with *WHY set. */
static struct seat *seat_take(struct audiences *a, const struct ucred *peer, enum answer_kind *why)
{
	struct seat *seat;

	*why = ANSWER_STRANGER;
	if (peer->uid == UINT32_MAX || peer->uid == a->unmapped_uid || peer->gid == a->unmapped_gid)
		return NULL;
	*why = ANSWER_MANY_VIEWERS;
	if (a->connection_count == AUDIENCE_VIEWERS)
		return NULL;
	seat = seat_of(a, peer, why);
	if (!seat || seat->viewers < AUDIENCE_VIEWERS_USER)
		return seat;
	*why = ANSWER_MANY_VIEWERS;
	return NULL;
}

static void answer(struct audiences *a, int fd, const struct snapshot *s)
{
	struct ucred peer = { .uid = UINT32_MAX };
	socklen_t size = sizeof(peer);
	struct answer reply = { ANSWER_MAGIC, ANSWER_GIVEN };
	struct channel_fds fds = { .count = 0 };
	enum answer_kind why = ANSWER_STRANGER;
	struct seat *seat = NULL;

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		seat = seat_take(a, &peer, &why);
	if (!seat) {
		reply.kind = why;
		channel_send(fd, &reply, sizeof(reply), NULL);
		close(fd);
		return;
	}
	shutdown(fd, SHUT_RD); /* so nothing piles up that nobody reads */
	seat_publish(a, seat, s);
	fds = (struct channel_fds){ { seat->fd }, 1 };
	channel_send(fd, &reply, sizeof(reply), &fds);
	seat->viewers++;
	a->connections[a->connection_count++] = (struct connection){ fd, peer.uid };
}

void audiences_answer(struct audiences *a, const struct snapshot *snapshot)
{
	if (!a || now_ns() < a->rest_ns)
		return;
	for (int i = 0; i < AUDIENCE_ACCEPTS; i++) {
		int fd = accept4(a->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			break;
		answer(a, fd, snapshot);
	}
	a->rest_ns = now_ns() + AUDIENCE_REST_MS * (NS_PER_S / 1000);
}

static void viewer_left(struct audiences *a, uint32_t uid)
{
	for (size_t i = 0; i < a->count; i++) {
		if (owner_uid(a->seats[i].audience.owner) == uid)
			a->seats[i].viewers--;
	}
}

/* A viewer that ended closed its end. */
static void drop_viewers(struct audiences *a)
{
	struct pollfd fds[AUDIENCE_VIEWERS];
	size_t count = a->connection_count;

	for (size_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){ .fd = a->connections[i].fd };
	if (!count || poll(fds, count, 0) <= 0)
		return;
	a->connection_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct connection c = a->connections[i];

		if (fds[i].revents) {
			close(c.fd);
			viewer_left(a, c.uid);
		} else {
			a->connections[a->connection_count++] = c;
		}
	}
}

void audiences_publish(struct audiences *a, const struct snapshot *snapshot)
{
	size_t count = 0;
	bool hidden;

	if (!a)
		return;
	drop_viewers(a);
	for (size_t i = 0; i < a->count; i++) {
		if (a->seats[i].viewers)
			a->seats[count++] = a->seats[i];
		else
			seat_end(&a->seats[i]);
	}
	a->count = count;
	hidden = count && audiences_proc_hides(MOUNTS); /* it may be mounted anew */
	for (size_t i = 0; i < count; i++) {
		a->seats[i].audience.hidden = hidden;
		seat_publish(a, &a->seats[i], snapshot);
	}
}

/* A viewer's side. */

/* The file can be anybody's, and so can who listens there. */
static bool is_of_root(int fd)
{
	struct ucred peer = { .uid = UINT32_MAX };
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && !peer.uid;
}

static int connect_to(const char *name, struct error *err)
{
	const struct sockaddr_un address = address_of(name);
	const struct timeval wait = { .tv_sec = ANSWER_S };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool dead;

	if (fd < 0)
		return error_set(err, _("cannot make a socket: %s"), strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (!connect(fd, (const struct sockaddr *)&address, sizeof(address)) && is_of_root(fd))
		return fd;
	dead = errno == ECONNREFUSED; /* it was killed */
	close(fd);
	if (dead)
		return error_set(err, _("no server%s%s runs: start ptop --serve%s%s"),
				 *name ? " " : "", name, *name ? "=" : "", name);
	return error_set(err, _("the server of root is not for this user: root can start it with "
				"--serve-users=all or --serve-group=GROUP"));
}

static const char *refusal(const struct answer *a)
{
	/* clang-format off */
	static const char *const texts[ANSWERS] = {
		[ANSWER_MANY_USERS] = N_("the server has viewers of as many users as it may have: its --serve-size "
					 "says how many"),
		[ANSWER_MANY_VIEWERS] = N_("the server has as many viewers as it may have: end another one"),
		[ANSWER_STRANGER] = N_("the server does not know which user this is: it runs in a container"),
		[ANSWER_NO_MEMORY] = N_("the server has no memory for another user"),
	};
	/* clang-format on */

	if (a->magic != ANSWER_MAGIC || a->kind >= ANSWERS || !texts[a->kind])
		return _("the server is of another version of ptop");
	return _(texts[a->kind]);
}

int audiences_ask(const char *name, int *connection, struct error *err)
{
	struct channel_fds fds = { .count = 0 };
	struct answer reply = { 0 };
	int fd = connect_to(name, err);
	ssize_t size;

	*connection = -1;
	if (fd < 0)
		return -1;
	size = channel_receive(fd, &reply, sizeof(reply), &fds, 0);
	if (size == sizeof(reply) && reply.magic == ANSWER_MAGIC && reply.kind == ANSWER_GIVEN &&
	    fds.count == 1) {
		*connection = fd;
		return fds.fds[0];
	}
	channel_close_fds(&fds);
	close(fd);
	if (size <= 0)
		return error_set(err, _("the server does not answer"));
	return error_set(err, "%s", refusal(&reply));
}
