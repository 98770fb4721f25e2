/*
 * How long a program takes from its start until it has said something.
 *
 *   starts TIMES TEXT PROGRAM ARGUMENT...
 *
 * Each time until TEXT stands in its output or its errors; then it is killed. Prints the
 * median in microseconds.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double micros(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int in_order(const void *one, const void *other)
{
	double difference = *(const double *)one - *(const double *)other;

	return (difference > 0) - (difference < 0);
}

static pid_t begin(int output, char **program)
{
	pid_t child = vfork();

	if (child)
		return child;
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	execvp(program[0], program);
	_exit(127);
}

static double once(const char *awaited, char **program)
{
	static char text[65536];
	long length = 0, more = 1;
	double began, ended;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		perror("pipe2"), exit(1);
	began = micros();
	child = begin(ends[1], program);
	close(ends[1]);
	text[0] = 0;
	while (!strstr(text, awaited) && more > 0) {
		more = read(ends[0], text + length, sizeof(text) - 1 - length);
		length += more > 0 ? more : 0;
		text[length] = 0;
	}
	ended = micros();
	if (more <= 0)
		fprintf(stderr, "starts: %s only said: %s\n", program[0], text), exit(1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ends[0]);
	return ended - began;
}

int main(int count, char **words)
{
	long times = count > 3 ? atol(words[1]) : 0;
	double *took = calloc(times + 1, sizeof(double));

	if (times < 1)
		return 2;
	for (long time = 0; time < times; time++)
		took[time] = once(words[2], words + 3);
	qsort(took, times, sizeof(double), in_order);
	printf("%.1f\n", took[times / 2]);
	return 0;
}
