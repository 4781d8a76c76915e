/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/asks.h"

#include <stdlib.h>
#include <string.h>

#include "app/allow.h"
#include "app/events.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/i18n.h"
#include "base/time-share.h"
#include "perf/event/event.h"
#include "perf/record/source.h"
#include "profile/frame.h"

#define LOOKS_MAX 8 /* snapshots after which an event that is in none of them is given up */

_Static_assert(ASKS_MAX <= 32, "a set of events is the bits of a uint32_t");
_Static_assert(ASKS_OTHERS + EVENT_IDS < SOURCE_EVENTS_MAX, "there is a place for each name");

/* An event that is measured for viewers; without a name the place is free. */
struct entry {
	char name[ASK_TEXT_MAX]; /* as snapshots have it */
	bool others;             /* it was not asked for by who may have all */
	bool ending;             /* the collector was told to remove it */
	bool of_stacks;          /* it is nothing without them */
	unsigned looks;          /* snapshots since nobody wants it, without it */
};

/* The last requests of a user, also while he is not connected. */
struct spent {
	uint32_t uid;
	struct time_share share;
};

struct asks {
	const struct options *options;
	const struct asks_effects *effects;
	void *of;
	struct entry entries[ASKS_MAX];
	struct spent spent[ASKS_USERS_MAX];
	struct asker *askers;
	bool stacks_begun; /* the collector was told of stacks: they are none of the server's options */
	bool stacks;       /* it was told last to take them */
	struct asker *looker;    /* who asked for code last, and is there; NULL: nobody */
	bool looks;              /* the collector was told last to look at a function: */
	uint32_t frame;          /* this one */
	uint64_t stacks_rest_ns; /* until then it is told nothing else of them */
	uint64_t now_ns;         /* of the call */
};

struct asks *asks_new(const struct options *o, const struct asks_effects *effects, void *of)
{
	struct asks *a = mem_alloc(sizeof(*a));

	a->options = o;
	a->effects = effects;
	a->of = of;
	return a;
}

void asks_free(struct asks *a)
{
	free(a);
}

void asks_join(struct asks *a, struct asker *who)
{
	who->next = a->askers;
	a->askers = who;
}

void asks_leave(struct asks *a, struct asker *who)
{
	struct asker **at = &a->askers;

	while (*at && *at != who)
		at = &(*at)->next;
	if (*at)
		*at = who->next;
	who->wanted = 0;
	who->stacks = who->code = false;
	if (a->looker == who)
		a->looker = NULL;
}

static bool may(const struct asker *who, enum permission p)
{
	return who->allowed >> p & 1;
}

/* Bits: what all want, or all of one user. */
static uint32_t wanted_by(const struct asks *a, const struct asker *user)
{
	uint32_t wanted = 0;

	for (const struct asker *w = a->askers; w; w = w->next) {
		if (!user || w->uid == user->uid)
			wanted |= w->wanted;
	}
	return wanted;
}

static int entry_find(const struct asks *a, const char *name)
{
	for (int i = 0; i < ASKS_MAX; i++) {
		if (!strcmp(a->entries[i].name, name))
			return i;
	}
	return -1;
}

static size_t entries_of_others(const struct asks *a)
{
	size_t count = 0;

	for (size_t i = 0; i < ASKS_MAX; i++)
		count += a->entries[i].name[0] && a->entries[i].others;
	return count;
}

/* Where S measures NAME, for viewers or not; -1: it does not. */
static int event_find_in(const struct snapshot *s, const char *name, bool asked)
{
	for (size_t i = 0; s && i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->asked == asked && e->sampled && !e->removed && !strcmp(e->name, name))
			return (int)i;
	}
	return -1;
}

/* The row of WHO, the least indebted one's if he has none. */
static struct time_share *share_of(struct asks *a, uint32_t uid)
{
	struct spent *least = &a->spent[0];

	for (size_t i = 0; i < ASKS_USERS_MAX; i++) {
		if (a->spent[i].uid == uid && a->spent[i].share.free_ns)
			return &a->spent[i].share;
		if (a->spent[i].share.free_ns < least->share.free_ns)
			least = &a->spent[i];
	}
	*least = (struct spent){ .uid = uid };
	return &least->share;
}

/* Each addition opens counters on all CPUs.  Returns true if one more may be made now. */
static bool spend(struct asks *a, uint32_t uid, uint64_t now_ns)
{
	const uint64_t rest_ns = ASKS_REST_S * NS_PER_S;
	struct time_share *share = share_of(a, uid);

	if (time_share_due(share, (ASKS_BURST - 1) * rest_ns, 1) > now_ns)
		return false;
	time_share_charge(share, now_ns, rest_ns, 1);
	return true;
}

/* Places that S does not show yet are taken, too. */
static bool has_room(const struct asks *a, const struct snapshot *s)
{
	size_t count = s ? s->event_count : 0;

	for (size_t i = 0; i < ASKS_MAX; i++)
		count += a->entries[i].name[0] && event_find_in(s, a->entries[i].name, true) < 0;
	return count < SOURCE_EVENTS_MAX;
}

/* A text that is one name opens nothing but this table. */
static bool is_named(const char *text)
{
	return event_find(text, strlen(text)) != NULL;
}

/* Stacks. */

static bool has_stacks(const struct snapshot *s)
{
	return s && s->stack_end_count;
}

/* Returns true if an event that is added now has stacks.  Snapshots are older than the last command. */
static bool takes_stacks(const struct asks *a, const struct snapshot *s)
{
	return a->stacks_begun ? a->stacks : has_stacks(s);
}

static bool can_take_stacks(const struct asks *a, const struct snapshot *s)
{
	const char *tier = s ? s->sampling.tier : source_tier_name(TIER_CPU_GROUP);

	return !a->options->record && !strcmp(tier, source_tier_name(TIER_CPU_GROUP));
}

/* ASK_DONE if samples have stacks by the server's own options, or WHO may have them taken. */
static enum ask_result stacks_for(const struct asks *a, const struct asker *who,
				  const struct snapshot *s)
{
	if (has_stacks(s) && !a->stacks_begun)
		return ASK_DONE;
	if (!may(who, ALLOW_STACKS))
		return ASK_STACKS_NOT_ALLOWED;
	return can_take_stacks(a, s) ? ASK_DONE : ASK_NEVER_STACKS;
}

static bool stacks_are_wanted(const struct asks *a)
{
	for (const struct asker *w = a->askers; w; w = w->next) {
		if (w->stacks)
			return true;
	}
	for (size_t i = 0; i < ASKS_MAX; i++) {
		if (a->entries[i].name[0] && a->entries[i].of_stacks)
			return true;
	}
	return false;
}

/* A command that failed, as S tells, is given again after the rest. */
static void follow_stacks(struct asks *a, const struct snapshot *s, bool wanted)
{
	bool done = wanted == takes_stacks(a, s) && wanted == has_stacks(s);

	if (!s || done || a->now_ns < a->stacks_rest_ns || (!wanted && !a->stacks_begun))
		return;
	a->effects->take_stacks(a->of, wanted);
	a->stacks = wanted;
	a->stacks_begun = true;
	a->stacks_rest_ns = a->now_ns + ASKS_STACKS_REST_S * NS_PER_S;
}

/* Somebody who may not ask for stacks has those of the server's own options, and no request is remembered. */
static enum ask_result want_stacks(struct asks *a, struct asker *who, const struct snapshot *s)
{
	enum ask_result result = stacks_for(a, who, s);

	if (result != ASK_DONE)
		return result;
	if (!who->any && !spend(a, who->uid, a->now_ns))
		return ASK_TOO_OFTEN;
	who->stacks = may(who, ALLOW_STACKS);
	follow_stacks(a, s, stacks_are_wanted(a));
	return ASK_DONE;
}

static enum ask_result drop_stacks(struct asker *who)
{
	enum ask_result result = who->stacks ? ASK_DONE : ASK_NOT_ASKED;

	who->stacks = false;
	return result;
}

/* Returns ASK_DONE if there are stacks for an event of WHO that is nothing without. */
static enum ask_result take_stacks_for_event(struct asks *a, const struct asker *who,
					     const struct snapshot *s)
{
	if (stacks_for(a, who, s) != ASK_DONE)
		return ASK_WITHOUT_STACKS;
	follow_stacks(a, s, true);
	return takes_stacks(a, s) ? ASK_DONE : ASK_TOO_OFTEN;
}

/* Code. */

/* Tells the collector whose function is looked at now, if that is another one. */
static void follow_code(struct asks *a)
{
	struct asker *who = a->looker;

	for (struct asker *w = a->askers; w && !(who && who->code); w = w->next)
		who = w;
	a->looker = who && who->code ? who : NULL;
	if (a->looks == !!a->looker && (!a->looker || a->looker->frame == a->frame))
		return;
	a->looks = a->looker;
	a->frame = a->looker ? a->looker->frame : FRAME_NONE;
	a->effects->look(a->of, a->looks, a->frame);
}

/* Returns false unless TEXT is as ASK_CODE has it. */
static bool function_of(const char *text, uint32_t *frame)
{
	const size_t prefix = strlen(ASK_CODE_TEXT);
	uint64_t number;

	*frame = FRAME_NONE;
	if (strncmp(text, ASK_CODE_TEXT, prefix) != 0)
		return false;
	if (!strcmp(text + prefix, ASK_HOTTEST))
		return true;
	if (decimal_parse_u64(text + prefix, FRAME_REST, UINT32_MAX, &number))
		return false;
	*frame = (uint32_t)number;
	return true;
}

static enum ask_result want_code(struct asks *a, struct asker *who, const char *text,
				 struct error *err)
{
	uint32_t frame;

	if (!who->sees_all)
		return ASK_CODE_NOT_SHOWN;
	if (!may(who, ALLOW_CODE))
		return ASK_CODE_NOT_ALLOWED;
	if (!function_of(text, &frame)) {
		error_set(err, _("a function has a number: '%s' is none"), text);
		return ASK_WRONG;
	}
	if (!who->any && !spend(a, who->uid, a->now_ns))
		return ASK_TOO_OFTEN;
	who->code = true;
	who->frame = frame;
	a->looker = who;
	follow_code(a);
	return ASK_DONE;
}

static enum ask_result drop_code(struct asks *a, struct asker *who)
{
	enum ask_result result = who->code ? ASK_DONE : ASK_NOT_ASKED;

	who->code = false;
	follow_code(a);
	return result;
}

/* Returns ASK_DONE with *PLACE set if WHO may have the event NAME: that where it is, or a free one. */
static enum ask_result place_for(const struct asks *a, const struct asker *who, const char *name,
				 const struct snapshot *s, int *place)
{
	bool counted;

	*place = entry_find(a, name);
	counted = *place >= 0 && who->wanted >> *place & 1;
	if (!counted && !who->any && __builtin_popcount(wanted_by(a, who)) >= ASKS_USER)
		return ASK_TOO_MANY;
	if (*place >= 0)
		return ASK_DONE;
	*place = entry_find(a, "");
	if (*place < 0 || !has_room(a, s) || (!who->any && entries_of_others(a) >= ASKS_OTHERS))
		return ASK_FULL;
	return ASK_DONE;
}

/* WHO wants the event of *MORE from now on, whose place is PLACE.  Takes *MORE over if it is to be measured. */
static void want(struct asks *a, struct asker *who, struct evlist **more, int place)
{
	struct entry *entry = &a->entries[place];
	bool measured = entry->name[0] && !entry->ending;

	if (!entry->name[0]) {
		*entry = (struct entry){ .others = !who->any,
					 .of_stacks = evlist_wants_stacks(*more) };
		strcpy(entry->name, (*more)->items[0]->name);
	}
	entry->ending = false;
	entry->looks = 0;
	who->wanted |= 1u << place;
	if (measured)
		return;
	(*more)->items[0]->asked = true;
	a->effects->add(a->of, *more);
	*more = NULL;
}

static enum ask_result want_parsed(struct asks *a, struct asker *who, struct evlist **more,
				   const struct snapshot *s, struct error *err)
{
	const struct evsel *e = (*more)->items[0];
	enum ask_result result;
	int place;

	if ((*more)->count != 1 || strlen(e->name) >= ASK_TEXT_MAX) {
		error_set(err, _("a server takes one event at a time, with a short name"));
		return ASK_WRONG;
	}
	if (event_find_in(s, e->name, false) >= 0)
		return ASK_DONE; /* the server measures it, whoever asks */
	result = place_for(a, who, e->name, s, &place);
	if (result == ASK_DONE && evlist_wants_stacks(*more))
		result = take_stacks_for_event(a, who, s);
	if (result == ASK_DONE)
		want(a, who, more, place);
	return result;
}

static enum ask_result add(struct asks *a, struct asker *who, const char *text,
			   const struct snapshot *s, struct error *err)
{
	struct evlist *more = events_of_text(a->options, text, err);
	enum ask_result result;

	if (!more)
		return ASK_WRONG;
	result = want_parsed(a, who, &more, s, err);
	evlist_free(more);
	return result;
}

/* Who may have all ends what others wanted, too. */
static enum ask_result drop(struct asks *a, struct asker *who, const char *name)
{
	int place = entry_find(a, name);

	if (place < 0 || (!who->any && !(who->wanted >> place & 1)))
		return ASK_NOT_ASKED;
	for (struct asker *w = a->askers; w; w = w->next) {
		if (w == who || (who->any && !(who->wanted >> place & 1)))
			w->wanted &= ~(1u << place);
	}
	return ASK_DONE;
}

static enum ask_result event_request(struct asks *a, struct asker *who, const struct ask *ask,
				     const struct snapshot *s, struct error *err)
{
	if (!may(who, ALLOW_EVENTS))
		return ASK_NOT_ALLOWED;
	if (ask->kind == ASK_DROP)
		return drop(a, who, ask->text);
	if (!who->any && !is_named(ask->text))
		return ASK_NOT_NAMED;
	if (!who->any && !spend(a, who->uid, a->now_ns))
		return ASK_TOO_OFTEN;
	return add(a, who, ask->text, s, err);
}

void asks_hear(struct asks *a, struct asker *who, const struct ask *ask, const struct snapshot *s,
	       uint64_t now_ns, struct ask_answer_message *answer)
{
	struct error err = { "" };
	enum ask_result result = ASK_WRONG;

	a->now_ns = now_ns;
	switch ((enum ask_kind)ask->kind) {
	case ASK_ADD:
	case ASK_DROP:
		result = event_request(a, who, ask, s, &err);
		break;
	case ASK_STACKS:
		result = want_stacks(a, who, s);
		break;
	case ASK_NO_STACKS:
		result = drop_stacks(who);
		break;
	case ASK_CODE:
		result = want_code(a, who, ask->text, &err);
		break;
	case ASK_NO_CODE:
		result = drop_code(a, who);
		break;
	case ASKS:
		break;
	}
	ask_answer_write(answer, result, result == ASK_WRONG ? err.text : ask->text);
}

/* Nobody wants E. */
static void end_entry(struct asks *a, struct entry *e, const struct snapshot *s)
{
	int event = event_find_in(s, e->name, true);

	if (event >= 0) {
		a->effects->remove(a->of, (size_t)event);
		e->ending = true;
	} else if (e->ending || ++e->looks == LOOKS_MAX) {
		*e = (struct entry){ .name = "" };
	}
}

/* Commands are carried out in order, so a removal that is repeated for an older snapshot does nothing. */
void asks_look(struct asks *a, const struct snapshot *s, uint64_t now_ns)
{
	uint32_t wanted = wanted_by(a, NULL);

	a->now_ns = now_ns;
	for (size_t i = 0; i < ASKS_MAX; i++) {
		if (a->entries[i].name[0] && !(wanted >> i & 1))
			end_entry(a, &a->entries[i], s);
	}
	follow_stacks(a, s, stacks_are_wanted(a));
	follow_code(a); /* who looked at it may have left */
}
