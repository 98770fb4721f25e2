/*
 * inject PID FILE: has each thread of a process open FILE for writing, as an attacker could
 * that has taken the thread over, and prints a line for each: the thread's name, and "opened"
 * or the number of the error. What was opened is closed, and the thread goes on where it was.
 * Exit 3 where this knows no registers.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
static void give_up(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The instruction "syscall", before which a thread that waits in one has its next. */
static const unsigned short instruction = 0x050f;

static void wait_for(pid_t thread)
{
	int status;

	if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status))
		give_up("a thread does not stop");
}

/* One system call of a thread that has stopped in another; what it returns. */
static long call(pid_t thread, const struct user_regs_struct *before, long number, long one, long two, long three)
{
	struct user_regs_struct regs = *before;

	regs.rip -= sizeof(instruction);
	regs.rax = number, regs.orig_rax = -1;
	regs.rdi = one, regs.rsi = two, regs.rdx = three;
	if (ptrace(PTRACE_SETREGS, thread, 0, &regs) || ptrace(PTRACE_SINGLESTEP, thread, 0, 0))
		give_up("a call");
	wait_for(thread);
	if (ptrace(PTRACE_GETREGS, thread, 0, &regs))
		give_up("its answer");
	return regs.rax;
}

/* Below what the thread has on its stack, and what it may have there without telling. */
static long put(pid_t thread, const struct user_regs_struct *regs, const char *text)
{
	long address = (regs->rsp - 1024) & ~7L, word;

	for (size_t at = 0; at <= strlen(text); at += sizeof(word)) {
		word = 0;
		memcpy(&word, text + at, strnlen(text + at, sizeof(word)));
		if (ptrace(PTRACE_POKEDATA, thread, address + at, word))
			give_up("its stack");
	}
	return address;
}

/* Whether it waits in a system call; then it has opened the file, or not. */
static int try(pid_t thread, const char *name, const char *file)
{
	struct user_regs_struct regs;
	long answer = 0;
	int waits;

	if (ptrace(PTRACE_SEIZE, thread, 0, 0) || ptrace(PTRACE_INTERRUPT, thread, 0, 0))
		give_up(name);
	wait_for(thread);
	if (ptrace(PTRACE_GETREGS, thread, 0, &regs))
		give_up("its registers");
	errno = 0;
	waits = (unsigned short)ptrace(PTRACE_PEEKTEXT, thread, regs.rip - sizeof(instruction), 0) == instruction && !errno;
	if (waits) {
		answer = call(thread, &regs, SYS_openat, AT_FDCWD, put(thread, &regs, file), O_WRONLY | O_CLOEXEC);
		if (answer >= 0)
			call(thread, &regs, SYS_close, answer, 0, 0);
		if (ptrace(PTRACE_SETREGS, thread, 0, &regs))
			give_up("its registers");
	}
	if (ptrace(PTRACE_DETACH, thread, 0, 0))
		give_up("to let it go on");
	if (waits && answer >= 0)
		printf("%s opened\n", name);
	else if (waits)
		printf("%s %ld\n", name, -answer);
	return waits;
}

static void each_thread(const char *pid, const char *file)
{
	char path[64], name[32];
	struct dirent *found;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	threads = opendir(path);
	if (!threads)
		give_up(path);
	while ((found = readdir(threads))) {
		int thread = atoi(found->d_name), tries = 0;
		FILE *comm;

		if (!thread)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/comm", thread);
		comm = fopen(path, "r");
		if (!comm || !fgets(name, sizeof(name), comm))
			give_up(path);
		fclose(comm);
		name[strcspn(name, "\n")] = 0;
		while (!try(thread, name, file)) {
			struct timespec moment = { 0, 10000000 };

			nanosleep(&moment, NULL);
			if (++tries == 200)
				give_up("a thread never waits");
		}
	}
	closedir(threads);
}

int main(int count, char **words)
{
	if (count != 3)
		return fprintf(stderr, "inject: PID FILE\n"), 2;
	each_thread(words[1], words[2]);
	return 0;
}
#else
int main(void)
{
	return 3;
}
#endif
