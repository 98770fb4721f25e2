/*
 * How long another program takes to kill a hog, from the moment when MemAvailable is
 * below a level that it was told.
 *
 *   available MIB TIMES PROGRAM ARGUMENT...
 *
 * The level lies MIB below what is available now; an ARGUMENT "@" stands for it, "@@" for
 * it twice with a comma between, in KiB. Prints the microseconds of each time. To be run
 * in a process id namespace of its own: the program can then kill nothing else.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long *crossed; /* shared with the hog */

static long micros(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void rest(long millis)
{
	struct timespec time = { millis / 1000, millis % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static long available_kib(void)
{
	static int fd = -1;
	char text[256], *at;
	long length;

	if (fd < 0)
		fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	length = pread(fd, text, sizeof(text) - 1, 0);
	text[length > 0 ? length : 0] = 0;
	at = strstr(text, "MemAvailable:");
	return at ? atol(at + 13) : 0;
}

static void hog(long level, long most)
{
	int score = open("/proc/self/oom_score_adj", O_WRONLY);
	char *memory = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (score < 0 || write(score, "1000", 4) < 0 || memory == MAP_FAILED)
		exit(1);
	for (long at = 0; at < most; at += 4096) {
		memory[at] = 1;
		if (!(at & 0x3ffff) && !*crossed && available_kib() < level)
			*crossed = micros();
	}
	for (;;)
		pause();
}

/* PF_EXITING or PF_SIGNALED, or it is gone. */
static int was_killed(pid_t pid)
{
	char path[32], text[1024], *at;
	unsigned flags;
	long length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = 0;
	at = strrchr(text, ')');
	if (!at || sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %u", &flags) != 1)
		return 1;
	return (flags & 0x404) != 0;
}

static void once(long level, long most)
{
	struct timespec often = { 0, 200000 };
	long began = micros(), ended;
	pid_t child;

	*crossed = 0;
	child = fork();
	if (child == 0)
		hog(level, most);
	while (!was_killed(child) && micros() - began < 20000000)
		nanosleep(&often, NULL);
	ended = micros();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("%ld\n", *crossed ? ended - *crossed : 0);
	fflush(stdout);
}

int main(int count, char **words)
{
	long below, level;
	pid_t program;
	char size[64];

	if (count < 4)
		return 2;
	below = atol(words[1]) << 10;
	level = available_kib() - below;
	for (int at = 4; at < count; at++) {
		if (words[at][0] != '@')
			continue;
		snprintf(size, sizeof(size), words[at][1] ? "%ld,%ld" : "%ld", level, level);
		words[at] = strdup(size);
	}
	crossed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	program = fork();
	if (program == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(words[3], words + 3);
		_exit(127);
	}
	rest(1500);
	for (long time = 0; time < atol(words[2]); time++) {
		/* Not always at the same moment of its rounds. */
		rest(500 + time * 337 % 700);
		once(level, (below << 10) * 2);
	}
	kill(program, SIGKILL);
	return 0;
}
