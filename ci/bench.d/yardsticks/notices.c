/*
 * The quickest that cgroup v1 allows: waits for the kernel's notice that a cgroup's usage
 * has reached a level, and kills at once.
 *
 *   notices CGROUP BYTES PROCS   kills all in that cgroup.procs, then ends
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int open_in(const char *dir, const char *name, int how)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, how | O_CLOEXEC);
	if (fd < 0)
		perror(path), exit(1);
	return fd;
}

int main(int count, char **words)
{
	char text[4096];
	uint64_t events;
	long length;

	if (count != 4)
		return 2;
	int notice = eventfd(0, EFD_CLOEXEC);
	int usage = open_in(words[1], "memory.usage_in_bytes", O_RDONLY);
	int control = open_in(words[1], "cgroup.event_control", O_WRONLY);
	int procs = open(words[3], O_RDONLY | O_CLOEXEC);

	length = snprintf(text, sizeof(text), "%d %d %s", notice, usage, words[2]);
	if (write(control, text, length) < 0)
		perror("cgroup.event_control"), exit(1);
	/* It tells of both directions. */
	do {
		if (read(notice, &events, sizeof(events)) != sizeof(events))
			return 1;
		length = pread(usage, text, sizeof(text) - 1, 0);
		text[length > 0 ? length : 0] = 0;
	} while (atol(text) < atol(words[2]));
	length = pread(procs, text, sizeof(text) - 1, 0);
	text[length > 0 ? length : 0] = 0;
	for (char *at = text, *end; (length = strtol(at, &end, 10)) > 0; at = end)
		kill(length, SIGKILL);
	return 0;
}
