/*
 * What reading must cost at least, what there is to be read, and how long a start takes.
 *
 *   reads node INTERVAL_MS FILE...
 *       for ever: the node's files, kept open, and the space of / and /dev
 *   reads pods ROUNDS COUNT NAME... -- DIR...
 *       the files NAME of COUNT pods DIR/podN, opened from their directories, which are
 *       kept open; prints the CPU microseconds of a round. A NAME is looked for in the
 *       first DIR, one with a + before it in the last.
 *   reads walk DIR
 *       a tree: getdents64 for the names, statx for each; prints how many and their KiB
 *   reads start TIMES TEXT PROGRAM ARGUMENT...
 *       how long a program takes from its start until TEXT stands in its output or its errors;
 *       then it is killed. Prints the median in microseconds.
 *   reads hold ANON_KIB COUNT DIR...
 *       in each of the cgroups c0 and c1 of COUNT pods DIR/podN a process that holds so much
 *       memory and sleeps; they end with this. Prints "ready" when all are there, and rests.
 */
#include "common.h"

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
	static const char *const places[] = { "/", "/dev" };
	struct statfs space;
	int files[16];

	for (int at = 0; at < count && at < 16; at++)
		files[at] = open_in(NULL, names[at], O_RDONLY);
	for (;;) {
		usleep(interval * 1000);
		for (int at = 0; at < count && at < 16; at++)
			use(pread(files[at], text, size_for(names[at]), 0));
		for (int at = 0; at < 2; at++) {
			statfs(places[at], &space);
			sum += space.f_bavail + space.f_ffree;
		}
	}
}

static int *directories(const char *root, long count)
{
	int *dirs = calloc(count, sizeof(int));
	char name[32];

	for (long pod = 0; pod < count; pod++) {
		snprintf(name, sizeof(name), "pod%ld", pod);
		dirs[pod] = open_in(root, name, O_PATH);
	}
	return dirs;
}

static void read_at(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	use(read(fd, text, size_for(name)));
	close(fd);
}

static double pods(long rounds, long count, char **words)
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
			began = micros_on(CLOCK_PROCESS_CPUTIME_ID);
		for (long pod = 0; pod < count; pod++)
			for (int name = 0; name < names; name++)
				if (words[name][0] == '+')
					read_at(last[pod], words[name] + 1);
				else
					read_at(first[pod], words[name]);
	}
	return (micros_on(CLOCK_PROCESS_CPUTIME_ID) - began) / rounds;
}

struct entry {
	unsigned long inode;
	long next;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* As the kernel lays it out, up to what is wanted of it. */
struct facts {
	unsigned mask, block_size;
	unsigned long attributes;
	unsigned links, owner, group;
	unsigned short mode, spare;
	unsigned long inode, size, blocks;
	char rest[256 - 56];
};
#define WANTED (0x4 | 0x100 | 0x400) /* STATX_NLINK, STATX_INO, STATX_BLOCKS */

static unsigned long entries, blocks;

/* One buffer for each level, used again by the next directory on it. */
#define DEEPEST 64
static char names_of[DEEPEST][32768];

static void walk(int dir, int level)
{
	static const int flags = AT_SYMLINK_NOFOLLOW | 0x4000 /* AT_STATX_DONT_SYNC */;
	char *names = names_of[level];
	long length;

	while ((length = syscall(SYS_getdents64, dir, names, sizeof(names_of[0]))) > 0) {
		for (long at = 0; at < length;) {
			struct entry *entry = (struct entry *)(names + at);
			struct facts facts;
			int child;

			at += entry->length;
			if (!strcmp(entry->name, ".") || !strcmp(entry->name, ".."))
				continue;
			if (syscall(SYS_statx, dir, entry->name, flags, WANTED, &facts) < 0)
				continue;
			entries++;
			blocks += facts.blocks;
			if (entry->type != DT_DIR || level + 1 == DEEPEST)
				continue;
			child = openat(dir, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (child >= 0) {
				walk(child, level + 1);
				close(child);
			}
		}
	}
}

static int in_order(const void *one, const void *other)
{
	double difference = *(const double *)one - *(const double *)other;

	return (difference > 0) - (difference < 0);
}

static const char *awaited;

static int is_said(const char *said)
{
	return strstr(said, awaited) != NULL;
}

static double start(long times, char **program)
{
	double *took = calloc(times + 1, sizeof(double));

	for (long time = 0; time < times; time++) {
		double began = micros();
		pid_t child = run_until(is_said, program);

		took[time] = micros() - began;
		if (!child)
			exit(1);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	qsort(took, times, sizeof(double), in_order);
	return took[times / 2];
}

static void hold(long size, long count, char **roots)
{
	int there[2];
	char said;

	if (pipe(there) < 0)
		give_up("pipe");
	signal(SIGCHLD, SIG_IGN);
	for (long pod = 0; pod < 2 * count; pod++) {
		pid_t child;

		if (!in_child(&child))
			continue;
		for (char **root = roots; *root; root++) {
			char path[512];

			snprintf(path, sizeof(path), "%s/pod%ld/c%ld", *root, pod / 2, pod % 2);
			enter(path);
		}
		memory_of(size);
		if (write(there[1], "", 1) == 1)
			rest();
		exit(1);
	}
	close(there[1]);
	for (long pod = 0; pod < 2 * count; pod++)
		if (read(there[0], &said, 1) != 1)
			exit(1);
	puts("ready");
	fflush(stdout);
	rest();
}

int main(int count, char **words)
{
	const char *what = count > 2 ? words[1] : "";

	if (!strcmp(what, "node") && count > 3) {
		node(atol(words[2]), count - 3, words + 3);
	} else if (!strcmp(what, "pods") && count > 6) {
		printf("%.1f\n", pods(atol(words[2]), atol(words[3]), words + 4));
	} else if (!strcmp(what, "walk")) {
		walk(open_in(NULL, words[2], O_RDONLY | O_DIRECTORY), 0);
		printf("%lu entries, %lu KiB\n", entries, blocks / 2);
	} else if (!strcmp(what, "start") && count > 4) {
		awaited = words[3];
		printf("%.1f\n", start(atol(words[2]), words + 4));
	} else if (!strcmp(what, "hold") && count > 4) {
		hold((atol(words[2]) << 10) + 4096, atol(words[3]), words + 4);
	} else {
		return 2;
	}
	return 0;
}
