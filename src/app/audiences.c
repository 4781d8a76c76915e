/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/audiences.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/allow.h"
#include "app/asks.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "share/ask.h"
#include "share/audience.h"
#include "share/block.h"
#include "share/segment.h"
#include "worker/channel.h"

#define MOUNTS "/proc/self/mounts"
#define ATTEMPTS 8      /* to make the socket, beside somebody who makes files of its name */
#define ANSWER_S 10     /* that a viewer waits: a busy machine, or a full queue */
#define UNMAPPED 65534u /* the kernel's default, see unmapped_of() */

struct seat {
	struct audience audience;
	struct segment *segment;
	int fd;           /* of it, for reading: what viewers get */
	uint64_t time_ns; /* of the snapshot that it has; 0: none yet */
	size_t viewers;
};

struct connection {
	int fd;
	bool reads; /* the object: it has no seat */
	struct asker asker;
};

enum listener_kind {
	LISTENER_USERS, /* connections of audiences */
	LISTENER_READERS,
	LISTENERS
};

struct audiences {
	int ready; /* an epoll(7) of all below; by itself: readable when one of them is */
	int listeners[LISTENERS];
	struct sockaddr_un addresses[LISTENERS];
	struct asks *asks;
	unsigned allowed;
	struct seat seats[AUDIENCES_MAX];
	size_t count, most; /* of them */
	struct connection *connections[AUDIENCE_VIEWERS + AUDIENCE_READERS];
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

/* MODE is the whole of the file's: the umask would take from it. */
static int bind_with_mode(int fd, const struct sockaddr_un *address, mode_t mode)
{
	mode_t mask = umask(0777 & ~mode);
	int result = bind(fd, (const struct sockaddr *)address, sizeof(*address));

	umask(mask);
	return result;
}

/* The name is that of an object which this process has locked, so a socket there is no other server's. */
static int listen_at(const struct sockaddr_un *address, mode_t mode)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool bound = false;

	for (int i = 0; fd >= 0 && i < ATTEMPTS && !bound; i++) {
		unlink(address->sun_path);
		bound = !bind_with_mode(fd, address, mode);
	}
	if (bound && !listen(fd, AUDIENCE_ACCEPTS))
		return fd;
	io_close(&fd);
	return -1;
}

static struct sockaddr_un address_of(uint32_t user, const char *name, enum listener_kind kind)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "/dev/shm/ptop-%u%s%s:%s",
		 (unsigned)user, *name ? "-" : "", name, kind == LISTENER_USERS ? "users" : "asks");
	return address;
}

static bool watch(const struct audiences *a, int fd, uint32_t events, void *what)
{
	struct epoll_event e = { .events = events, .data = { .ptr = what } };

	return !epoll_ctl(a->ready, EPOLL_CTL_ADD, fd, &e);
}

static void open_users(struct audiences *a, bool users, struct buf *notes)
{
	int *fd = &a->listeners[LISTENER_USERS];
	const char *path = a->addresses[LISTENER_USERS].sun_path;

	if (!users) {
		if (!geteuid())
			unlink(path); /* a killed server of that name left it */
		return;
	}
	*fd = listen_at(&a->addresses[LISTENER_USERS], 0777);
	if (*fd >= 0 && watch(a, *fd, EPOLLIN, fd))
		return;
	buf_printf(notes, _("other users cannot attach: cannot listen at %s: %s"), path,
		   strerror(errno));
	buf_add_char(notes, '\n');
}

/* The file is this user's, in a folder where nobody else may replace it. */
static bool give_to_group(const char *path, int64_t group)
{
	return group < 0 || (!lchown(path, (uid_t)-1, (gid_t)group) && !chmod(path, 0660));
}

static void open_readers(struct audiences *a, int64_t group, struct buf *notes)
{
	int *fd = &a->listeners[LISTENER_READERS];
	const char *path = a->addresses[LISTENER_READERS].sun_path;

	*fd = listen_at(&a->addresses[LISTENER_READERS], 0600);
	if (*fd >= 0 && give_to_group(path, group) && watch(a, *fd, EPOLLIN, fd))
		return;
	buf_printf(notes, _("viewers cannot ask for events: cannot listen at %s: %s"), path,
		   strerror(errno));
	buf_add_char(notes, '\n');
}

struct audiences *audiences_open(const struct audiences_choice *choice, struct buf *notes)
{
	struct audiences *a = mem_alloc(sizeof(*a));
	const struct segment_choice *segment = choice->segment;
	uint64_t most;

	for (int i = 0; i < LISTENERS; i++) {
		a->listeners[i] = -1;
		a->addresses[i] = address_of(geteuid(), segment->name, i);
	}
	a->ready = epoll_create1(EPOLL_CLOEXEC);
	a->asks = choice->asks;
	a->allowed = choice->allowed;
	open_users(a, choice->users, notes);
	open_readers(a, segment->group, notes);
	a->bytes = segment->bytes * AUDIENCES_FACTOR / AUDIENCES_MAX;
	if (a->bytes < SEGMENT_BYTES_MIN)
		a->bytes = SEGMENT_BYTES_MIN;
	most = segment->bytes * AUDIENCES_FACTOR / a->bytes;
	a->most = most < AUDIENCES_MAX ? (size_t)most : AUDIENCES_MAX;
	a->delay_ns = segment->delay_ns;
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

static void connection_free(struct audiences *a, struct connection *c)
{
	asks_leave(a->asks, &c->asker);
	io_close(&c->fd);
	free(c);
}

void audiences_close(struct audiences *a, struct buf *notes)
{
	if (!a)
		return;
	unpublished_tell(&a->unpublished, notes);
	for (int i = 0; i < LISTENERS; i++) {
		if (a->listeners[i] >= 0)
			unlink(a->addresses[i].sun_path);
		io_close(&a->listeners[i]);
	}
	for (size_t i = 0; i < a->connection_count; i++)
		connection_free(a, a->connections[i]);
	for (size_t i = 0; i < a->count; i++)
		seat_end(&a->seats[i]);
	io_close(&a->ready);
	buf_fini(&a->block);
	free(a);
}

int audiences_fd(const struct audiences *a, int *timeout_ms)
{
	uint64_t now = now_ns();

	if (!a)
		return -1;
	if (now >= a->rest_ns)
		return a->ready;
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
static struct seat *seat_of(struct audiences *a, const struct ucred *peer, enum ask_result *why)
{
	const uint64_t owner = owner_make(peer->uid, peer->gid);
	struct error err = { "" };
	struct seat *seat;

	*why = ASK_MANY_VIEWERS;
	for (size_t i = 0; i < a->count; i++) {
		if (owner_uid(a->seats[i].audience.owner) == peer->uid)
			return a->seats[i].audience.owner == owner ? &a->seats[i] : NULL;
	}
	*why = ASK_MANY_USERS;
	if (a->count == a->most)
		return NULL;
	seat = &a->seats[a->count];
	*seat = (struct seat){ .audience = { owner, audiences_proc_hides(MOUNTS) } };
	seat->segment = segment_create_unnamed(a->bytes, a->delay_ns, &seat->fd, &err);
	*why = ASK_NO_MEMORY;
	if (!seat->segment)
		return NULL;
	a->count++;
	return seat;
}

static size_t connections_of(const struct audiences *a, bool reads, int64_t uid)
{
	size_t count = 0;

	for (size_t i = 0; i < a->connection_count; i++) {
		const struct connection *c = a->connections[i];

		count += c->reads == reads && (uid < 0 || c->asker.uid == uid);
	}
	return count;
}

/* A seat for the viewer PEER.  NULL with *WHY set. */
static struct seat *seat_take(struct audiences *a, const struct ucred *peer, enum ask_result *why)
{
	struct seat *seat;

	*why = ASK_STRANGER;
	if (peer->uid == UINT32_MAX || peer->uid == a->unmapped_uid || peer->gid == a->unmapped_gid)
		return NULL;
	*why = ASK_MANY_VIEWERS;
	if (connections_of(a, false, -1) == AUDIENCE_VIEWERS)
		return NULL;
	seat = seat_of(a, peer, why);
	if (!seat || seat->viewers < AUDIENCE_VIEWERS_USER)
		return seat;
	*why = ASK_MANY_VIEWERS;
	return NULL;
}

/* Root may end this server, and its own user may, too. */
static bool may_all(const struct ucred *peer)
{
	return !peer->uid || peer->uid == geteuid();
}

/* Who reads the object passed its mode already. */
static bool reader_has_room(const struct audiences *a, const struct ucred *peer)
{
	return connections_of(a, true, -1) < AUDIENCE_READERS &&
	       (may_all(peer) || connections_of(a, true, peer->uid) < AUDIENCE_READERS_USER);
}

static void reply(int fd, enum ask_result result, const struct channel_fds *fds)
{
	struct ask_answer_message m;

	ask_answer_write(&m, result, "");
	channel_send(fd, &m, sizeof(m), fds);
}

/* Takes FD over.  Call before the viewer is answered: so its first request is heard, or fails. */
static void connection_add(struct audiences *a, int fd, const struct ucred *peer, bool reads)
{
	struct connection *c = mem_alloc(sizeof(*c));

	*c = (struct connection){ fd,
				  reads,
				  { .uid = peer->uid, .allowed = a->allowed, .sees_all = reads } };
	if (reads && may_all(peer)) {
		c->asker.allowed = ALLOW_ALL;
		c->asker.any = true;
	}
	if (!c->asker.allowed)
		shutdown(fd, SHUT_RD); /* so nothing piles up that nobody reads */
	watch(a, fd, c->asker.allowed ? EPOLLIN : 0, c);
	asks_join(a->asks, &c->asker);
	a->connections[a->connection_count++] = c;
}

static void refuse(int fd, enum ask_result why)
{
	reply(fd, why, NULL);
	close(fd);
}

static void answer_user(struct audiences *a, int fd, const struct ucred *peer,
			const struct snapshot *s)
{
	struct channel_fds fds = { .count = 1 };
	enum ask_result why;
	struct seat *seat = seat_take(a, peer, &why);

	if (!seat) {
		refuse(fd, why);
		return;
	}
	seat_publish(a, seat, s);
	seat->viewers++;
	connection_add(a, fd, peer, false);
	fds.fds[0] = seat->fd;
	reply(fd, ASK_GIVEN, &fds);
}

static void answer_reader(struct audiences *a, int fd, const struct ucred *peer)
{
	if (!reader_has_room(a, peer)) {
		refuse(fd, ASK_MANY_VIEWERS);
		return;
	}
	connection_add(a, fd, peer, true);
	reply(fd, ASK_GIVEN, NULL);
}

/* S is for audiences, as in audiences_answer(). */
static void answer_all(struct audiences *a, enum listener_kind kind, const struct snapshot *s)
{
	for (int i = 0; i < AUDIENCE_ACCEPTS; i++) {
		int fd = accept4(a->listeners[kind], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct ucred peer = { .uid = UINT32_MAX };
		socklen_t size = sizeof(peer);

		if (fd < 0)
			break;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
			refuse(fd, ASK_STRANGER);
		else if (kind == LISTENER_USERS)
			answer_user(a, fd, &peer, s);
		else
			answer_reader(a, fd, &peer);
	}
}

/* A viewer that ended, or sends what is no request. */
static void drop(struct audiences *a, struct connection *c)
{
	size_t kept = 0;

	for (size_t i = 0; !c->reads && i < a->count; i++) {
		if (owner_uid(a->seats[i].audience.owner) == c->asker.uid)
			a->seats[i].viewers--;
	}
	for (size_t i = 0; i < a->connection_count; i++) {
		if (a->connections[i] != c)
			a->connections[kept++] = a->connections[i];
	}
	a->connection_count = kept;
	connection_free(a, c);
}

/* One request, or none. */
static void hear(struct audiences *a, struct connection *c, const struct snapshot *s)
{
	struct ask_answer_message answer;
	struct ask_message message;
	struct ask ask;
	ssize_t size = channel_receive(c->fd, &message, sizeof(message), NULL, MSG_DONTWAIT);

	if (size == -EAGAIN)
		return;
	if (size <= 0 || !ask_read(&message, (size_t)size, &ask)) {
		drop(a, c);
		return;
	}
	asks_hear(a->asks, &c->asker, &ask, s, now_ns(), &answer);
	channel_send(c->fd, &answer, sizeof(answer), NULL);
}

/* Some of those that ended or ask; the kernel puts others first next time.  Listeners only wake. */
static void attend(struct audiences *a, const struct snapshot *s)
{
	struct epoll_event ready[AUDIENCE_READY];
	int count = epoll_wait(a->ready, ready, AUDIENCE_READY, 0);

	for (int i = 0; i < count; i++) {
		void *what = ready[i].data.ptr;

		if (what == &a->listeners[LISTENER_USERS] ||
		    what == &a->listeners[LISTENER_READERS])
			continue;
		if (ready[i].events & (EPOLLHUP | EPOLLERR))
			drop(a, what);
		else
			hear(a, what, s);
	}
}

void audiences_answer(struct audiences *a, const struct snapshot *snapshot, bool owned)
{
	if (!a || now_ns() < a->rest_ns)
		return;
	attend(a, snapshot);
	for (int i = 0; i < LISTENERS; i++)
		answer_all(a, i, owned ? snapshot : NULL);
	a->rest_ns = now_ns() + AUDIENCE_REST_MS * (NS_PER_S / 1000);
}

void audiences_publish(struct audiences *a, const struct snapshot *snapshot)
{
	size_t count = 0;
	bool hidden;

	if (!a)
		return;
	attend(a, snapshot); /* nothing is published for who ended */
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
static bool is_of(int fd, uint32_t user)
{
	struct ucred peer = { .uid = UINT32_MAX };
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == user;
}

static bool is_other_file(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISSOCK(st.st_mode);
}

static int connect_to(const char *name, struct error *err)
{
	const struct sockaddr_un address = address_of(0, name, LISTENER_USERS);
	const struct timeval wait = { .tv_sec = ANSWER_S };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool dead;

	if (fd < 0)
		return error_set(err, _("cannot make a socket: %s"), strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (!connect(fd, (const struct sockaddr *)&address, sizeof(address)) && is_of(fd, 0))
		return fd;
	dead = errno == ECONNREFUSED; /* it was killed */
	close(fd);
	if (is_other_file(address.sun_path))
		return error_set(
			err,
			_("%s is not the socket of a server: root must remove it and start "
			  "the server again"),
			address.sun_path);
	if (dead)
		return error_set(err, _("no server%s%s runs: start ptop --serve%s%s"),
				 *name ? " " : "", name, *name ? "=" : "", name);
	return error_set(err, _("the server of root is not for this user: root can start it with "
				"--serve-users=all or --serve-group=GROUP"));
}

int audiences_ask(const char *name, int *connection, struct error *err)
{
	struct channel_fds fds = { .count = 0 };
	struct ask_answer_message m;
	struct ask_answer answer = { ASK_GIVEN, "" };
	int fd = connect_to(name, err);
	const char *why;
	ssize_t size;

	*connection = -1;
	if (fd < 0)
		return -1;
	size = channel_receive(fd, &m, sizeof(m), &fds, 0);
	if (size > 0 && ask_answer_read(&m, (size_t)size, &answer) && answer.result == ASK_GIVEN &&
	    fds.count == 1) {
		*connection = fd;
		return fds.fds[0];
	}
	channel_close_fds(&fds);
	close(fd);
	if (size <= 0)
		return error_set(err, _("the server does not answer"));
	why = ask_refusal(answer.result);
	return error_set(err, "%s", why ? why : _("the server is of another version of ptop"));
}

int audiences_connect(const char *name, uint32_t user)
{
	const struct sockaddr_un address = address_of(user, name, LISTENER_READERS);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 &&
	    (connect(fd, (const struct sockaddr *)&address, sizeof(address)) || !is_of(fd, user)))
		io_close(&fd);
	return fd;
}
