/*
 * What reading must cost at least.
 *
 *   ticks node INTERVAL_MS FILE...
 *       for ever: the node's files, kept open, and the space of / and /dev
 *   ticks pods ROUNDS COUNT NAME... -- DIR...
 *       the files NAME of COUNT pods DIR/podN, opened from their directories, which are
 *       kept open; prints the CPU microseconds of a round. A NAME is looked for in the
 *       first DIR, one with a + before it in the last.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

static char text[4096];
static volatile unsigned long sum;

/* The first number after the last word that is looked for, so that the text is used. */
static void use(long length)
{
	static const char *const words[] = { "MemAvailable:", "total_inactive_file", "\ninactive_file" };
	char *at = text;

	if (length <= 0)
		return;
	text[length] = 0;
	for (int word = 0; length > 64 && word < 3; word++) {
		char *found = memmem(text, length, words[word], strlen(words[word]));
		if (found) {
			at = found + strlen(words[word]);
			break;
		}
	}
	sum += strtoul(at, NULL, 10);
}

/* The kernel takes time to clear the buffer that it fills for a file of /proc/sys. */
static long size_for(const char *name)
{
	return strstr(name, "stat") || strstr(name, "meminfo") ? sizeof(text) - 1 : 63;
}

static void node(long interval, int count, char **names)
{
	struct timespec rest = { interval / 1000, interval % 1000 * 1000000 };
	struct statfs space;
	int files[16];

	for (int at = 0; at < count && at < 16; at++)
		if ((files[at] = open(names[at], O_RDONLY | O_CLOEXEC)) < 0)
			perror(names[at]), exit(1);
	for (;;) {
		nanosleep(&rest, NULL);
		for (int at = 0; at < count && at < 16; at++)
			use(pread(files[at], text, size_for(names[at]), 0));
		statfs("/", &space);
		sum += space.f_bavail + space.f_ffree;
		statfs("/dev", &space);
		sum += space.f_bavail + space.f_ffree;
	}
}

static double cpu_micros(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int *directories(const char *root, long count)
{
	int *dirs = calloc(count, sizeof(int));
	char path[512];

	for (long pod = 0; pod < count; pod++) {
		snprintf(path, sizeof(path), "%s/pod%ld", root, pod);
		if ((dirs[pod] = open(path, O_PATH | O_CLOEXEC)) < 0)
			perror(path), exit(1);
	}
	return dirs;
}

static void read_at(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	use(read(fd, text, size_for(name)));
	close(fd);
}

static void pods(long rounds, long count, char **words)
{
	struct rlimit many = { 65536, 65536 };
	int names = 0, roots = 0;
	double began = 0;

	setrlimit(RLIMIT_NOFILE, &many);
	while (strcmp(words[names], "--"))
		names++;
	while (words[names + 1 + roots])
		roots++;
	int *first = directories(words[names + 1], count);
	int *last = directories(words[names + roots], count);
	/* The first round warms up. */
	for (long round = -1; round < rounds; round++) {
		if (round == 0)
			began = cpu_micros();
		for (long pod = 0; pod < count; pod++)
			for (int name = 0; name < names; name++)
				if (words[name][0] == '+')
					read_at(last[pod], words[name] + 1);
				else
					read_at(first[pod], words[name]);
	}
	printf("%.1f\n", (cpu_micros() - began) / rounds);
}

int main(int count, char **words)
{
	if (count > 3 && !strcmp(words[1], "node"))
		node(atol(words[2]), count - 3, words + 3);
	else if (count > 6 && !strcmp(words[1], "pods"))
		pods(atol(words[2]), atol(words[3]), words + 4);
	else
		return 2;
	return 0;
}
