/*
 * How long a pod of many processes takes to end.
 *
 *   crowd COUNT DIR...
 *   crowd COUNT DIR... -- PROGRAM ARGUMENT...
 *
 * So many processes enter the cgroups of all DIRs, hold 256 KiB each, and sleep. They are
 * killed by SIGKILL to each, which is all that must be done; or by PROGRAM, an evictd that
 * logs in JSON. Prints the microseconds until none is left: counted here; or from PROGRAM's
 * decision on, as it says itself, and what is still left then is waited for here.
 */
#define _GNU_SOURCE
#include "victims.h"
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#define MOST 4000

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
		setsid(); /* as whatever starts pods does: group 0 is the kernel's own threads' */
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

/* Nobody holds the other end any more. */
static void await_end(int end)
{
	char byte;

	while (read(end, &byte, 1) > 0 || errno == EINTR)
		errno = 0;
}

static long by_signals(int count, pid_t *all, int end)
{
	long began = micros();

	for (int at = 0; at < count; at++)
		kill(all[at], SIGKILL);
	await_end(end);
	return micros() - began;
}

static long millis = -1;

/* What an evictd says of the kill. */
static int is_killed(const char *text)
{
	const char *killed = strstr(text, "\"event\":\"killed\"");
	const char *field = killed ? strstr(killed, "\"millis\":") : NULL;

	if (field && strchr(field, '}'))
		millis = atol(field + strlen("\"millis\":"));
	return millis >= 0;
}

static long by_program(char **program, int end)
{
	pid_t child = run_until(is_killed, program);
	long said = micros();

	if (!child)
		return 0;
	await_end(end);
	said = micros() - said;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return millis * 1000 + said;
}

int main(int count, char **words)
{
	static pid_t all[MOST];
	int dirs, processes, end;
	long took;

	if (count < 3 || (processes = atoi(words[1])) < 2 || processes > MOST)
		return 2;
	dirs = count_dirs(words + 2);
	end = crowd(processes, words + 2, dirs, all);
	usleep(300000);
	if (words[2 + dirs])
		took = by_program(words + 3 + dirs, end);
	else
		took = by_signals(processes, all, end);
	kill(all[0], SIGKILL);
	waitpid(all[0], NULL, 0);
	printf("%ld\n", took);
	return 0;
}
