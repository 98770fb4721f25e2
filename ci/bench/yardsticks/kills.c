/*
 * What killing must cost at least, and what it costs a program.
 *
 *   kills starved kill|release MIB BUSY DIR...
 *   kills starved TEXT MIB BUSY DIR... -- PROGRAM ARGUMENT...
 *       From the decision to kill a starved process until its memory is free. A victim
 *       fills so many MiB in the cgroup of the first DIR, then enters the others, and sleeps;
 *       BUSY processes outside want all that the processors give. It is killed: by SIGKILL
 *       alone, by SIGKILL and process_mrelease, or by PROGRAM, whose decision is when it says
 *       TEXT. Prints the microseconds until the first DIR's usage is below a twentieth.
 *   kills crowd COUNT DIR... [-- PROGRAM ARGUMENT...]
 *       How long a pod of many processes takes to end. So many enter the cgroups of all DIRs,
 *       hold 256 KiB each, and sleep. They are killed by SIGKILL to each, which is all that
 *       must be done; or by PROGRAM, an evictd that logs in JSON. Prints the microseconds
 *       until none is left: counted here; or from PROGRAM's decision on, as it says itself,
 *       and what is still left then is waited for here.
 *   kills notice CGROUP BYTES PROCS
 *       The quickest that cgroup v1 allows: waits for the kernel's notice that a cgroup's
 *       usage has reached a level, kills all in that cgroup.procs at once, then ends.
 *   kills event FILE PROCS
 *       The same with what cgroup v2 tells by itself: an event of that memory.events.
 *       "waits" is printed once no event can be missed any more.
 */
#include "common.h"

#define MOST 4000

/* How many of the words come before "--": a program and its arguments follow that, or
 * none. */
static int count_dirs(char **words)
{
	int count = 0;

	while (words[count] && strcmp(words[count], "--"))
		count++;
	return count;
}

static long usage(const char *dir)
{
	static const char *const names[] = { "memory.usage_in_bytes", "memory.current" };
	long found = 0;

	/* Whoever evicts may remove the cgroup. */
	for (int at = 0; at < 2; at++) {
		char path[512];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, names[at]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			found = number_in(fd), close(fd);
	}
	return found;
}

static void victim(long size, char **dirs, int count, volatile int *is_full)
{
	enter(dirs[0]);
	memory_of(size);
	for (int at = 1; at < count; at++)
		enter(dirs[at]);
	*is_full = 1;
	rest();
}

static const char *awaited;

static int is_said(const char *text)
{
	return strstr(text, awaited) != NULL;
}

static double decide(const char *how, pid_t target, char **program, pid_t *decider)
{
	int pidfd = syscall(SYS_pidfd_open, target, 0);
	double began = micros();

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

static double starved(const char *how, long mib, int busy, char **dirs)
{
	volatile int *is_full = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t spinning[MOST], target, decider = 0;
	int count = count_dirs(dirs);
	double began, ended;
	long peak;

	if (in_child(&target))
		victim(mib << 20, dirs, count, is_full);
	while (!*is_full && waitpid(target, NULL, WNOHANG) == 0)
		usleep(2000);
	for (int at = 0; at < busy; at++)
		if (in_child(&spinning[at]))
			for (;;)
				__asm__ volatile("");
	/* The clock must not be late; the decision is made with the priority it has. */
	syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &(int){ 2 });
	usleep(300000);
	peak = usage(dirs[0]);
	began = decide(how, target, dirs + count + 1, &decider);
	do {
		usleep(200);
		ended = micros();
	} while (usage(dirs[0]) > peak / 20 && ended - began < 6e7);
	for (int at = 0; at < busy; at++)
		kill(spinning[at], SIGKILL);
	if (decider > 0)
		kill(decider, SIGKILL);
	kill(target, SIGKILL);
	while (wait(NULL) > 0)
		;
	return decider || !dirs[count] ? ended - began : 0;
}

static void member(int ready)
{
	memory_of(256 << 10);
	if (write(ready, "", 1) < 0)
		exit(1);
	close(ready);
	rest();
}

/* One process enters, and makes the others where it is, which nobody has to wait for. They
 * hold an end of a pipe; returns the other. */
static int make_crowd(int count, char **dirs, int dir_count, pid_t *all)
{
	int ends[2], ready[2];
	char byte;

	if (pipe(ends) < 0 || pipe(ready) < 0)
		give_up("pipe");
	if (in_child(&all[0])) {
		setsid(); /* as whatever starts pods does: group 0 is the kernel's own threads' */
		signal(SIGCHLD, SIG_IGN);
		for (int at = 0; at < dir_count; at++)
			enter(dirs[at]);
		for (int at = 1; at < count; at++) {
			pid_t one = fork();

			if (one == 0)
				member(ready[1]);
			if (one < 0 || write(ends[1], &one, sizeof(one)) < 0)
				give_up("fork");
		}
		member(ready[1]);
	}
	close(ends[1]);
	close(ready[1]);
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

static double crowd(int processes, char **dirs)
{
	static pid_t all[MOST];
	int count = count_dirs(dirs), end = make_crowd(processes, dirs, count, all);
	double began, took = 0;

	usleep(300000);
	if (dirs[count]) {
		pid_t child = run_until(is_killed, dirs + count + 1);

		began = micros();
		if (child) {
			await_end(end);
			took = millis * 1000 + micros() - began;
			kill(child, SIGKILL);
		}
	} else {
		began = micros();
		for (int at = 0; at < processes; at++)
			kill(all[at], SIGKILL);
		await_end(end);
		took = micros() - began;
	}
	kill(all[0], SIGKILL);
	return took;
}

static void kill_all(int procs)
{
	char text[4096];
	long length = pread(procs, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = 0;
	for (char *at = text, *end; (length = strtol(at, &end, 10)) > 0; at = end)
		kill(length, SIGKILL);
}

static void notice(const char *cgroup, const char *bytes, int procs)
{
	int notice = eventfd(0, EFD_CLOEXEC);
	int usage = open_in(cgroup, "memory.usage_in_bytes", O_RDONLY);
	int control = open_in(cgroup, "cgroup.event_control", O_WRONLY);
	uint64_t events;

	if (dprintf(control, "%d %d %s", notice, usage, bytes) < 0)
		give_up("cgroup.event_control");
	/* It tells of both directions. */
	do {
		if (read(notice, &events, sizeof(events)) != sizeof(events))
			exit(1);
	} while (number_in(usage) < atol(bytes));
	kill_all(procs);
}

static void event(const char *file, int procs)
{
	char text[4096];
	int events = inotify_init1(IN_CLOEXEC);

	if (events < 0 || inotify_add_watch(events, file, IN_MODIFY) < 0)
		give_up(file);
	puts("waits");
	fflush(stdout);
	if (read(events, text, sizeof(text)) <= 0)
		exit(1);
	kill_all(procs);
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "";

	if (!strcmp(what, "starved") && count > 5)
		printf("%.0f\n", starved(words[2], atol(words[3]), atoi(words[4]), words + 5));
	else if (!strcmp(what, "crowd") && count > 3 && atoi(words[2]) > 1 && atoi(words[2]) <= MOST)
		printf("%.0f\n", crowd(atoi(words[2]), words + 3));
	else if (!strcmp(what, "notice") && count == 5)
		notice(words[2], words[3], open_in(NULL, words[4], O_RDONLY));
	else if (!strcmp(what, "event") && count == 4)
		event(words[2], open_in(NULL, words[3], O_RDONLY));
	else
		return 2;
	return 0;
}
