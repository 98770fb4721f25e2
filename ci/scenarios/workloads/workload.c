/*
 * What the pods of the scenarios run: one static program, so that it costs little and
 * behaves the same everywhere. It ends only by a signal; exit 2 is a mistake in the call.
 *
 *   workload idle                 nothing
 *   workload deaf [MIB]           holds so much memory, and ignores SIGTERM
 *   workload polite SECONDS [MIB] the same, and on SIGTERM takes that long, then ends
 *   workload hog [MIB_PER_SECOND] memory without end; without a number as fast as it goes
 *   workload memory FILE          as many MiB as FILE says, looked at 50 times a second
 *   workload shared FILE          the same in shared memory, which the kernel gives back
 *                                 only when the last process that maps it is gone
 *   workload thrash MIB           so much memory, each page of it needed again and again
 *   workload noise MIB            the same, of what cannot be compressed
 *   workload mapped FILE [PAGES]  the same with the pages of a file, which is mapped; with a
 *                                 number so many five times a second
 *   workload headless MIB         so much memory, in a process whose first thread has ended
 *   workload selfish MIB          so much memory, at a real-time priority of 50; keeps its
 *                                 processor for ten seconds, and says so where it lives on
 *   workload forks                forks for ever, and so does every child
 *   workload tasks COUNT          that many children, doing nothing
 *   workload family MIB           so much memory, and ten children that share it
 *   workload bytes DIR MIB        a file of that size, deleted but held open
 *   workload inodes DIR COUNT     that many files, deleted but held open
 *   workload log FILE             as many KiB in numbered lines on standard output as FILE
 *                                 says, 50 times a second
 *   workload filler FILE RATE     appends to FILE as many KiB as RATE says, 50 times a second
 *   workload writer FILE          a block into FILE 50 times a second
 *   workload timed USAGE LEVEL BELOW [PROCS...]
 *                                 a hog in the cgroups of these cgroup.procs: goes to BELOW
 *                                 bytes under LEVEL of the file USAGE, waits for SIGUSR1 to
 *                                 this process, goes on at full speed. Ends and prints the
 *                                 microseconds from LEVEL to its being killed. Of
 *                                 /proc/meminfo USAGE is what is not available
 *   workload file FILE MIB        a file of that size, which stays
 *
 * Deleted files stand for what a container runtime removes with the container: they give
 * their space back when the process is gone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MIB (1L << 20)
#define MOST_CHUNKS 4096

static void nap(long millis)
{
	struct timespec time = { millis / 1000, millis % 1000 * 1000000 };
	nanosleep(&time, NULL);
}

static void rest(void)
{
	for (;;)
		pause();
}

/* Says why on standard error and goes on resting: a pod that ends by itself would look
 * like one that was evicted. */
static void complain(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
}

/* Memory that is really there. NULL where the kernel gives none. */
static char *take(long size, int kind)
{
	char *chunk = mmap(NULL, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);

	if (chunk == MAP_FAILED)
		return NULL;
	madvise(chunk, size, MADV_HUGEPAGE);
	for (long at = 0; at < size; at += 4096)
		chunk[at] = 1;
	return chunk;
}

/* Large pages are the fastest way to use memory up. */
static void hog(long mib_per_second)
{
	for (;;) {
		if (!take(mib_per_second ? MIB : 64 * MIB, MAP_PRIVATE))
			nap(100);
		if (mib_per_second)
			nap(1000 / mib_per_second);
	}
}

static void fill_with_noise(char *page)
{
	static uint64_t random = 88172645463325252;

	for (long at = 0; at < 4096; at += sizeof(random)) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		memcpy(page + at, &random, sizeof(random));
	}
}

/* Page after page in an order that no read-ahead foresees: what does not fit is read in again
 * and again, without end; at_once of them five times a second or, if 0, as fast as it goes. */
static void need_again(volatile char *all, long pages, int writes, long at_once)
{
	for (long page = 0, needed = 1;; needed++) {
		page = (page + 104729) % pages;
		if (writes)
			all[page * 4096]++;
		else
			(void)all[page * 4096];
		if (at_once > 0 && needed % at_once == 0)
			nap(200);
	}
}

static void thrash(long mib, int is_noise)
{
	char *all = mmap(NULL, mib * MIB, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED)
		return complain("mmap");
	for (long page = 0; is_noise && page < mib * MIB / 4096; page++)
		fill_with_noise(all + page * 4096);
	need_again(all, mib * MIB / 4096, 1, 0);
}

/* Its pages are read as a program's own code is: none ahead of time. */
static char *map_file(const char *name, long *pages)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *all = size < 4096 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	*pages = size / 4096;
	if (all == MAP_FAILED)
		complain(name);
	return all;
}

static void mapped(const char *name, long at_once)
{
	long pages;
	char *all = map_file(name, &pages);

	if (all != MAP_FAILED)
		need_again(all, pages, 0, at_once);
}

/* A half-written number is at worst wanted for a moment; none at all is not acted on. */
static long wanted(const char *file)
{
	char text[32];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (length < 2 || text[length - 1] != '\n')
		return -1;
	text[length] = 0;
	return atol(text);
}

static void steered(const char *file, int kind)
{
	static char *chunks[MOST_CHUNKS];
	long have = 0;

	for (;;) {
		long want = wanted(file);

		while (want >= 0 && have > want)
			munmap(chunks[--have], MIB);
		while (have < want && have < MOST_CHUNKS && (chunks[have] = take(MIB, kind)))
			have++;
		nap(20);
	}
}

static void forks(void)
{
	for (;;)
		if (fork() < 0)
			nap(1);
}

static void tasks(long count)
{
	for (long made = 0; made < count; made++) {
		pid_t child = fork();

		if (child == 0)
			rest();
		if (child < 0)
			complain("fork");
	}
	rest();
}

static void *go_on(void *mib)
{
	long size = *(long *)mib * MIB;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		complain("mmap");
	memset(memory, 1, size);
	rest();
	return NULL;
}

static void headless(long mib)
{
	static long size;
	pthread_t second;

	size = mib;
	if (pthread_create(&second, NULL, go_on, &size) != 0)
		complain("pthread_create");
	syscall(SYS_exit, 0);
}

static void selfish(long mib)
{
	struct timespec time;
	long until;

	if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &(int){ 50 }) < 0)
		complain("sched_setscheduler");
	take(mib * MIB, MAP_PRIVATE);
	clock_gettime(CLOCK_MONOTONIC, &time);
	until = time.tv_sec + 10;
	while (time.tv_sec < until)
		clock_gettime(CLOCK_MONOTONIC, &time);
	puts("lives on");
	fflush(stdout);
	syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &(int){ 0 });
	rest();
}

static void family(long mib)
{
	if (!take(mib * MIB, MAP_PRIVATE))
		complain("mmap");
	tasks(10);
}

static int deleted_file(void)
{
	static long number;
	char name[64];
	int fd;

	/* O_TMPFILE would do, but vfat knows no file without a name. */
	snprintf(name, sizeof(name), "workload-%d-%ld", (int)getpid(), number++);
	fd = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/* Not every filesystem can give space without its being written. */
static void bytes(long mib)
{
	static char block[MIB];
	int fd = deleted_file();

	if (fd < 0)
		complain("open");
	else if (fallocate(fd, 0, 0, mib * MIB) < 0) {
		for (long done = 0; done < mib; done++)
			if (write(fd, block, MIB) < 0)
				return complain("write");
	}
}

static void inodes(long count)
{
	struct rlimit files = { count + 64, count + 64 };

	if (setrlimit(RLIMIT_NOFILE, &files) < 0)
		complain("setrlimit");
	for (long made = 0; made < count; made++)
		if (deleted_file() < 0)
			return complain("open");
}

static void writer(const char *file)
{
	static char block[4096];
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	for (;;) {
		if (pwrite(fd, block, sizeof(block), 0) < 0)
			complain(file);
		nap(20);
	}
}

static void filler(const char *file, const char *rate)
{
	static char block[1024];
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	for (;;) {
		for (long left = wanted(rate); left > 0; left--)
			if (write(fd, block, sizeof(block)) < 0)
				break; /* the disk is full */
		nap(20);
	}
}

static void lines(const char *file)
{
	static char line[1024];
	unsigned long long number = 0;

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	for (;;) {
		for (long left = wanted(file); left > 0; left--) {
			char begin[16];

			snprintf(begin, sizeof(begin), "%012llu ", number++ % 1000000000000ULL);
			memcpy(line, begin, 13);
			if (write(1, line, sizeof(line)) < 0)
				complain("log");
		}
		nap(20);
	}
}

static volatile sig_atomic_t asked;

static void on_term(int signal)
{
	(void)signal;
	asked = 1;
}

static void hold(long mib)
{
	if (mib > 0)
		take(mib * MIB, MAP_PRIVATE);
}

static void polite(long seconds)
{
	signal(SIGTERM, on_term);
	while (!asked)
		nap(20);
	nap(seconds * 1000);
	exit(0);
}

/* What the hog and its parent share. */
struct race {
	volatile int waits, go; /* the hog is near; it may go on */
	volatile long crossed;
};

static long micros(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static long number_in(int fd)
{
	char text[128];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	long total, available;

	text[length < 0 ? 0 : length] = 0;
	if (sscanf(text, "MemTotal: %ld kB MemFree: %*d kB MemAvailable: %ld", &total, &available) == 2)
		return (total - available) << 10;
	return atol(text);
}

/* Touches page by page: how fast memory goes with small ones. */
static void race(struct race *race, int usage, long level, long below)
{
	long size = level + (level >> 1);
	int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, kind, -1, 0);

	if (memory == MAP_FAILED)
		complain("mmap"), rest();
	for (long at = 0; at < size; at += 4096) {
		memory[at] = 1;
		if (at & 0x3ffff)
			continue;
		if (!race->go && number_in(usage) >= level - below)
			for (race->waits = 1; !race->go;)
				nap(1);
		if (!race->crossed && number_in(usage) >= level)
			race->crossed = micros();
	}
	rest();
}

static long text_of(pid_t pid, const char *file, char *text, long size)
{
	char name[32];
	long length;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/%s", pid, file);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[length < 0 ? 0 : length] = 0;
	return length;
}

/* SIGKILL was sent, or has been acted on already: the process may be frozen or starved,
 * and is gone only when its memory has been given back. */
static int was_killed(pid_t pid)
{
	static char text[4096];
	unsigned long own = 0, shared = 0;
	unsigned flags = 0;
	char *at;

	if (text_of(pid, "status", text, sizeof(text)) <= 0)
		return 1;
	at = strstr(text, "SigPnd:");
	if (at && sscanf(at, "SigPnd: %lx ShdPnd: %lx", &own, &shared) == 2 && (own | shared) & 0x100)
		return 1;
	if (text_of(pid, "stat", text, sizeof(text)) <= 0 || !(at = strrchr(text, ')')))
		return 1;
	if (sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %u", &flags) != 1)
		return 1;
	return flags & 0x404; /* PF_EXITING, PF_SIGNALED */
}

static void timed(int count, char **words)
{
	struct race *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int usage = open(words[0], O_RDONLY | O_CLOEXEC);
	struct timespec often = { 0, 200000 };
	sigset_t go;
	pid_t child;

	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	if ((child = fork()) == 0) {
		for (int at = 3; at < count; at++) {
			int fd = open(words[at], O_WRONLY | O_CLOEXEC);
			if (write(fd, "0", 1) < 0)
				complain(words[at]);
		}
		race(shared, usage, atol(words[1]), atol(words[2]));
	}
	/* On a busy machine the clock must not be late. */
	syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &(int){ 2 });
	while (!shared->waits && !was_killed(child))
		nap(1);
	puts("waits");
	fflush(stdout);
	sigwaitinfo(&go, NULL);
	shared->go = 1;
	while (!was_killed(child))
		nanosleep(&often, NULL);
	printf("killed %ld\n", shared->crossed ? micros() - shared->crossed : -1);
	exit(0);
}

static void enter(const char *dir)
{
	if (chdir(dir) < 0)
		complain(dir);
}

static void file(const char *path, long mib)
{
	int file = open(path, O_CREAT | O_WRONLY, 0644);

	if (file < 0 || posix_fallocate(file, 0, mib * MIB))
		complain(path);
}

/* A container's first process is spared signals that it does not handle. */
static void end_by_sigterm(int signal)
{
	_exit(128 + signal);
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "";
	const char *text = count > 2 ? words[2] : "";
	long number = count > 2 ? atol(words[count - 1]) : 0;

	if (getpid() == 1)
		signal(SIGTERM, end_by_sigterm);
	if (!strcmp(what, "idle"))
		rest();
	else if (!strcmp(what, "deaf"))
		signal(SIGTERM, SIG_IGN), hold(number), rest();
	else if (!strcmp(what, "polite"))
		hold(count > 3 ? number : 0), polite(atol(text));
	else if (!strcmp(what, "hog"))
		hog(number);
	else if (!strcmp(what, "memory"))
		steered(text, MAP_PRIVATE);
	else if (!strcmp(what, "shared"))
		steered(text, MAP_SHARED);
	else if (!strcmp(what, "thrash"))
		thrash(number, 0);
	else if (!strcmp(what, "noise"))
		thrash(number, 1);
	else if (!strcmp(what, "mapped"))
		mapped(text, count > 3 ? number : 0), rest();
	else if (!strcmp(what, "headless"))
		headless(number);
	else if (!strcmp(what, "selfish"))
		selfish(number);
	else if (!strcmp(what, "forks"))
		forks();
	else if (!strcmp(what, "tasks"))
		tasks(number);
	else if (!strcmp(what, "family"))
		family(number);
	else if (!strcmp(what, "bytes"))
		enter(text), bytes(number), rest();
	else if (!strcmp(what, "inodes"))
		enter(text), inodes(number), rest();
	else if (!strcmp(what, "log"))
		lines(text);
	else if (!strcmp(what, "filler") && count > 3)
		filler(text, words[3]);
	else if (!strcmp(what, "writer"))
		writer(text);
	else if (!strcmp(what, "timed") && count > 4)
		timed(count - 2, words + 2);
	else if (!strcmp(what, "file"))
		file(text, number), rest();
	fprintf(stderr, "workload: what is %s?\n", what);
	return 2;
}
