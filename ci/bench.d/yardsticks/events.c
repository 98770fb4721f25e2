/*
 * What cgroup v2 tells by itself: waits for an event of memory.events, and kills at once.
 *
 *   events FILE PROCS   kills all in that cgroup.procs, then ends
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

int main(int count, char **words)
{
	char text[4096];
	long length;

	if (count != 3)
		return 2;
	int events = inotify_init1(IN_CLOEXEC);
	int procs = open(words[2], O_RDONLY | O_CLOEXEC);

	if (events < 0 || procs < 0 || inotify_add_watch(events, words[1], IN_MODIFY) < 0)
		perror(words[1]), exit(1);
	if (read(events, text, sizeof(text)) <= 0)
		return 1;
	length = pread(procs, text, sizeof(text) - 1, 0);
	text[length > 0 ? length : 0] = 0;
	for (char *at = text, *end; (length = strtol(at, &end, 10)) > 0; at = end)
		kill(length, SIGKILL);
	return 0;
}
