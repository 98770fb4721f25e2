/* What kills.c and crowd.c share: the clock, cgroups, and a program that is to kill. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

/* How many of the words come before "--": a program and its arguments follow that, or
 * none. */
static int count_dirs(char **words)
{
	int count = 0;

	while (words[count] && (words[count][0] != '-' || words[count][1] != '-' || words[count][2]))
		count++;
	return count;
}

/* Runs a program until is_said is true of all that it has written; 0 where it ends
 * before. */
static pid_t run_until(int (*is_said)(const char *text), char **program)
{
	static char text[262144];
	long length = 0, more = 1;
	int ends[2];
	pid_t child;

	if (pipe(ends) < 0)
		perror("pipe"), exit(1);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The caller's own priority is not for it. */
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &(int){ 0 });
		dup2(ends[1], STDERR_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		execvp(program[0], program);
		_exit(127);
	}
	close(ends[1]);
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
