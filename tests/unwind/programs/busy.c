/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half a second of deep calls in small steps, for a sampler: parsing, sorting, formatting, recursion. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline))

struct node {
	struct node *left, *right;
	char name[24];
};

APART static struct node *insert(struct node *n, const char *name)
{
	if (!n) {
		n = calloc(1, sizeof(*n));
		snprintf(n->name, sizeof(n->name), "%s", name);
	} else if (strcmp(name, n->name) < 0) {
		n->left = insert(n->left, name);
	} else {
		n->right = insert(n->right, name);
	}
	return n;
}

APART static size_t walk(const struct node *n)
{
	return n ? walk(n->left) + strlen(n->name) + walk(n->right) : 0;
}

APART static void release(struct node *n)
{
	if (!n)
		return;
	release(n->left);
	release(n->right);
	free(n);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

APART static size_t round_of_work(unsigned seed)
{
	static char names[512][24];
	struct node *root = NULL;
	size_t sum;

	for (size_t i = 0; i < 512; i++)
		snprintf(names[i], sizeof(names[i]), "%08x-%g",
			 (seed * 31 + (unsigned)i) * 2654435761u, i / 7.0);
	for (size_t i = 0; i < 512; i++)
		root = insert(root, names[i]);
	qsort(names, 512, sizeof(names[0]), by_text);
	sum = walk(root) + strtoul(names[3], NULL, 16) % 7;
	release(root);
	return sum;
}

static void *half(void *unused)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 4;
	size_t sum = 0;

	(void)unused;
	for (unsigned i = 0; clock() < end; i++)
		sum += round_of_work(i);
	return sum == 1 ? malloc(1) : NULL;
}

/* One half in a thread, whose stack ends elsewhere than in _start. */
int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, half, NULL) == 0)
		pthread_join(thread, NULL);
	return half(NULL) != NULL;
}
