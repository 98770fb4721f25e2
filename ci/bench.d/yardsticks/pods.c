/*
 * Pods to be watched: each a cgroup with two containers, in each of these one process
 * that holds some memory and sleeps.
 *
 *   pods COUNT ANON_KIB DIR...   below each DIR, one for each hierarchy
 *
 * Prints "ready" when all are there, and rests. Its processes die with it; the cgroups
 * are removed by whoever made DIR.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		fprintf(stderr, "pods: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	close(fd);
}

/* On v2 children have controllers only where the parent hands them out. */
static void hand_out(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", dir);
	if (access(path, W_OK) == 0)
		write_to(path, "+memory +pids");
}

static void make(const char *dir)
{
	if (mkdir(dir, 0755) < 0) {
		fprintf(stderr, "pods: %s: %s\n", dir, strerror(errno));
		exit(1);
	}
}

/* Where each process says that it is in its cgroup and holds its memory. */
static int there[2];

static void contain(int roots, char **root, long pod, int container, long size)
{
	char path[512];

	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int at = 0; at < roots; at++) {
		snprintf(path, sizeof(path), "%s/pod%ld/c%d/cgroup.procs", root[at], pod, container);
		write_to(path, "0");
	}
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (long at = 0; memory != MAP_FAILED && at < size; at += 4096)
		memory[at] = 1;
	if (write(there[1], "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void await(long processes)
{
	char said[256];

	while (processes > 0) {
		ssize_t some = read(there[0], said, sizeof(said));

		if (some <= 0)
			exit(1);
		processes -= some;
	}
}

int main(int count, char **words)
{
	char path[512];

	if (count < 4 || pipe(there) < 0)
		return 2;
	signal(SIGCHLD, SIG_IGN);
	for (int at = 3; at < count; at++)
		hand_out(words[at]);
	for (long pod = 0; pod < atol(words[1]); pod++) {
		for (int at = 3; at < count; at++) {
			snprintf(path, sizeof(path), "%s/pod%ld", words[at], pod);
			make(path);
			hand_out(path);
			for (int container = 0; container < 2; container++) {
				snprintf(path, sizeof(path), "%s/pod%ld/c%d", words[at], pod, container);
				make(path);
			}
		}
		for (int container = 0; container < 2; container++)
			contain(count - 3, words + 3, pod, container, (atol(words[2]) << 10) + 4096);
	}
	await(2 * atol(words[1]));
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
