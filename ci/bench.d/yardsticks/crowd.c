/*
 * How long a pod of many processes takes to end.
 *
 *   crowd COUNT DIR...
 *   crowd COUNT DIR... -- PROGRAM ARGUMENT...
 *
 * So many processes enter the cgroups of all DIRs, hold 256 KiB each, and sleep. They are killed by SIGKILL to
 * each, which is all that must be done; or by PROGRAM, an evictd that logs in JSON. Prints
 * the microseconds until none is left: counted here, or as PROGRAM says.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 4000

static long micros(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void enter(const char *dir)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) < 0)
		perror(path), exit(1);
	close(fd);
}

static void rest(int ready)
{
	static char held[256 << 10];

	memset(held, 1, sizeof(held));
	if (write(ready, "", 1) < 0)
		exit(1);
	close(ready);
	for (;;)
		pause();
}

/* One process enters, and makes the others where it is, which nobody has to wait for. They
 * hold an end of a pipe; returns the other. */
static int crowd(int count, char **dirs, int dir_count, pid_t *all)
{
	int ends[2], ready[2];
	pid_t child;
	char byte;

	if (pipe(ends) < 0 || pipe(ready) < 0)
		perror("pipe"), exit(1);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGCHLD, SIG_IGN);
		for (int at = 0; at < dir_count; at++)
			enter(dirs[at]);
		for (int at = 1; at < count; at++) {
			pid_t one = fork();

			if (one == 0)
				rest(ready[1]);
			if (one < 0)
				perror("fork"), exit(1);
			if (write(ends[1], &one, sizeof(one)) < 0)
				exit(1);
		}
		rest(ready[1]);
	}
	close(ends[1]);
	close(ready[1]);
	all[0] = child;
	for (int at = 1; at < count; at++)
		if (read(ends[0], &all[at], sizeof(pid_t)) != sizeof(pid_t))
			exit(1);
	for (int at = 0; at < count; at++)
		if (read(ready[0], &byte, 1) != 1)
			exit(1);
	return ends[0];
}

static long by_signals(int count, pid_t *all, int end)
{
	long began = micros();
	char byte;

	for (int at = 0; at < count; at++)
		kill(all[at], SIGKILL);
	while (read(end, &byte, 1) > 0 || errno == EINTR)
		;
	return micros() - began;
}

/* What an evictd says of the kill. */
static long by_program(char **program)
{
	static char text[262144];
	long length = 0, more = 1, millis = -1;
	int ends[2];
	pid_t child;

	if (pipe(ends) < 0)
		perror("pipe"), exit(1);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], STDERR_FILENO);
		execvp(program[0], program);
		_exit(127);
	}
	close(ends[1]);
	while (millis < 0 && more > 0) {
		char *killed, *field;

		more = read(ends[0], text + length, sizeof(text) - 1 - length);
		length += more > 0 ? more : 0;
		text[length] = 0;
		killed = strstr(text, "\"event\":\"killed\"");
		field = killed ? strstr(killed, "\"millis\":") : NULL;
		if (field && strchr(field, '}'))
			millis = atol(field + strlen("\"millis\":"));
	}
	if (millis < 0)
		fprintf(stderr, "crowd: %s only said: %s\n", program[0], text);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return millis < 0 ? 0 : millis * 1000;
}

int main(int count, char **words)
{
	static pid_t all[MOST];
	int dirs = 0, processes, end;
	long took;

	if (count < 3 || (processes = atoi(words[1])) < 2 || processes > MOST)
		return 2;
	while (words[2 + dirs] && strcmp(words[2 + dirs], "--"))
		dirs++;
	end = crowd(processes, words + 2, dirs, all);
	usleep(300000);
	if (words[2 + dirs])
		took = by_program(words + 3 + dirs);
	else
		took = by_signals(processes, all, end);
	kill(all[0], SIGKILL);
	waitpid(all[0], NULL, 0);
	printf("%ld\n", took);
	return 0;
}
