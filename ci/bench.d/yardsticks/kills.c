/*
 * From the decision to kill a starved process until its memory is free.
 *
 *   kills kill|release MIB BUSY DIR...
 *   kills TEXT MIB BUSY DIR... -- PROGRAM ARGUMENT...
 *
 * A victim fills so many MiB in the cgroup of the first DIR, then enters the others, and
 * sleeps; BUSY processes outside want all that the processors give. It is killed: by
 * SIGKILL alone, by SIGKILL and process_mrelease, or by PROGRAM, whose decision is when it
 * says TEXT. Prints the microseconds until the first DIR's usage is below a twentieth.
 */
#define _GNU_SOURCE
#include "victims.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define MOST_BUSY 16

static void nap(long millis)
{
	struct timespec time = { millis / 1000, millis % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static long usage(const char *dir)
{
	static const char *const names[] = { "memory.usage_in_bytes", "memory.current" };
	char path[512], text[32];
	long length = -1;

	for (int at = 0; at < 2 && length <= 0; at++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, names[at]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		length = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	/* Whoever evicts may remove the cgroup. */
	text[length > 0 ? length : 0] = 0;
	return atol(text);
}

static pid_t victim(long size, char **dirs, int count, volatile int *is_full)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	enter(dirs[0]);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (long at = 0; at < size; at += 4096)
		memory[at] = 1;
	for (int at = 1; at < count; at++)
		enter(dirs[at]);
	*is_full = 1;
	for (;;)
		pause();
}

static pid_t busy(void)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		__asm__ volatile("");
}

static const char *awaited;

static int is_said(const char *text)
{
	return strstr(text, awaited) != NULL;
}

static long decide(const char *how, pid_t target, char **program, pid_t *decider)
{
	int pidfd = syscall(SYS_pidfd_open, target, 0);
	long began = micros();

	if (!strcmp(how, "kill")) {
		kill(target, SIGKILL);
	} else if (!strcmp(how, "release")) {
		kill(target, SIGKILL);
		syscall(448 /* process_mrelease */, pidfd, 0);
	} else {
		awaited = how;
		*decider = run_until(is_said, program);
		began = micros();
	}
	close(pidfd);
	return began;
}

int main(int count, char **words)
{
	volatile int *is_full = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t spinning[MOST_BUSY], target, decider = 0;
	struct timespec often = { 0, 200000 };
	int spins, dirs;
	long began, ended, peak;

	if (count < 5)
		return 2;
	dirs = count_dirs(words + 4);
	target = victim(atol(words[2]) << 20, words + 4, dirs, is_full);
	while (!*is_full && waitpid(target, NULL, WNOHANG) == 0)
		nap(2);
	for (spins = 0; spins < atoi(words[3]) && spins < MOST_BUSY; spins++)
		spinning[spins] = busy();
	/* The clock must not be late; the decision is made with the priority it has. */
	syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &(int){ 2 });
	nap(300);
	peak = usage(words[4]);
	began = decide(words[1], target, words + 5 + dirs, &decider);
	do {
		nanosleep(&often, NULL);
		ended = micros();
	} while (usage(words[4]) > peak / 20 && ended - began < 60000000);
	for (int at = 0; at < spins; at++)
		kill(spinning[at], SIGKILL);
	if (decider > 0)
		kill(decider, SIGKILL);
	kill(target, SIGKILL);
	while (wait(NULL) > 0)
		;
	printf("%ld\n", decider || words[4 + dirs] == NULL ? ended - began : 0);
	return 0;
}
