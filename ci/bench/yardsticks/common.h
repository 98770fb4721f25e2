/* What the yardsticks share: the clock, files, cgroups, and a program of which something is
 * awaited. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline double micros_on(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static inline double micros(void)
{
	return micros_on(CLOCK_MONOTONIC);
}

static inline void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static inline void rest(void)
{
	for (;;)
		pause();
}

/* A file in a directory, or at a path where that is NULL. */
static inline int open_in(const char *dir, const char *name, int how)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s%s%s", dir ? dir : "", dir ? "/" : "", name);
	fd = open(path, how | O_CLOEXEC);
	if (fd < 0)
		give_up(path);
	return fd;
}

/* The number that a file begins with; 0 where it has none. */
static inline long number_in(int fd)
{
	char text[32];
	long length = pread(fd, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = 0;
	return atol(text);
}

static inline void enter(const char *dir)
{
	int fd = open_in(dir, "cgroup.procs", O_WRONLY);

	if (write(fd, "0", 1) < 0)
		give_up(dir);
	close(fd);
}

/* A child that ends with its parent; whether this is it. */
static inline int in_child(pid_t *child)
{
	*child = fork();
	if (*child < 0)
		give_up("fork");
	if (*child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return *child == 0;
}

static inline char *memory_of(long size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		give_up("mmap");
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (long at = 0; at < size; at += 4096)
		memory[at] = 1;
	return memory;
}

static inline pid_t begin(char **program, int output)
{
	pid_t child = vfork();

	if (child)
		return child;
	/* The caller's own priority is not for it. */
	syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &(int){ 0 });
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(output, STDERR_FILENO);
	dup2(output, STDOUT_FILENO);
	execvp(program[0], program);
	_exit(127);
}

/* Runs a program until is_said is true of all that it has written; 0 where it ends
 * before. */
static inline pid_t run_until(int (*is_said)(const char *text), char **program)
{
	static char text[262144];
	long length = 0, more = 1;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		give_up("pipe2");
	child = begin(program, ends[1]);
	close(ends[1]);
	text[0] = 0;
	while (!is_said(text) && more > 0) {
		more = read(ends[0], text + length, sizeof(text) - 1 - length);
		length += more > 0 ? more : 0;
		text[length] = 0;
	}
	if (more > 0)
		return child;
	fprintf(stderr, "%s only said: %s\n", program[0], text);
	return 0;
}
