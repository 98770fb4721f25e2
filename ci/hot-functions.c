/*
 * Runs a program and prints which of its functions it executes once a certain one of
 * them has returned so many times: those at the addresses that are in a file, hexadecimal,
 * a line each, sorted. Each is marked by a breakpoint that is taken away when it is first hit.
 * What is on a thread's stack at that time counts as executed: loops are entered once. What
 * is executed after SIGTERM or SIGINT does not count.
 *
 * usage: hot-functions OUTPUT ADDRESSES START TIMES PROGRAM ARGUMENT...
 *
 * x86_64 only. Signals to it go to the program; it ends as that does. SIGUSR1 makes it
 * forget what it has printed, and begin anew at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_FUNCTIONS 16384
#define MOST_THREADS 256
#define STACK_WORDS 8192

struct function {
	unsigned long start;
	unsigned char first;
	char is_marked;
};

static const unsigned char breakpoint = 0xcc;
static struct function functions[MOST_FUNCTIONS];
static size_t count;
static pid_t threads[MOST_THREADS];
static size_t alive;
static pid_t program;
static int memory;
static FILE *output;
/* The function that starts the record, how often it is still to return, and where to. It is
 * followed step by step, as it gives the pages with the breakpoints back. */
static struct function begin;
static unsigned long back;
static long times;
static volatile sig_atomic_t anew, is_over;

static void begin_anew(int signal) {
	anew = signal;
}

static void pass_on(int signal) {
	/* How it ends is no matter. */
	is_over = signal != SIGHUP;
	kill(program, signal);
}

static void fail(const char *what) {
	perror(what);
	if (program > 0)
		kill(program, SIGKILL);
	exit(1);
}

/* The function that the address is in. */
static struct function *find(unsigned long address) {
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &functions[low - 1] : NULL;
}

static void put(const struct function *function, unsigned char byte) {
	if (pwrite(memory, &byte, 1, (off_t)function->start) != 1)
		fail("writing the program's code");
}

static void mark(struct function *function) {
	if (function->is_marked)
		return;
	if (pread(memory, &function->first, 1, (off_t)function->start) != 1)
		fail("reading the program's code");
	put(function, breakpoint);
	function->is_marked = 1;
}

static void unmark(struct function *function) {
	if (function->is_marked)
		put(function, function->first);
	function->is_marked = 0;
}

static void record(struct function *function) {
	if (function && function->is_marked) {
		unmark(function);
		if (is_over)
			return;
		fprintf(output, "%lx\n", function->start);
		fflush(output);
	}
}

static void record_stack(pid_t thread) {
	static unsigned long words[STACK_WORDS];
	struct user_regs_struct registers;
	ssize_t length;
	if (ptrace(PTRACE_GETREGS, thread, NULL, &registers))
		return;
	record(find(registers.rip));
	length = pread(memory, words, sizeof words, (off_t)registers.rsp);
	for (ssize_t i = 0; i < length / (ssize_t)sizeof words[0]; i++)
		if (words[i] >= functions[0].start && words[i] < functions[count - 1].start)
			record(find(words[i]));
}

/* Marks all, while every thread but the one that is stopped already is made to stop. */
static void start_record(pid_t stopped) {
	for (size_t i = 0; i < count; i++)
		mark(&functions[i]);
	for (size_t i = 0; i < alive; i++) {
		int status;
		if (threads[i] == stopped)
			record_stack(stopped);
		else if (!ptrace(PTRACE_INTERRUPT, threads[i], NULL, NULL) && waitpid(threads[i], &status, __WALL) > 0) {
			struct user_regs_struct registers;
			record_stack(threads[i]);
			/* It may have run into a breakpoint before it was stopped: it goes there again. */
			if (!(status >> 16) && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP &&
			    !ptrace(PTRACE_GETREGS, threads[i], NULL, &registers)) {
				registers.rip--;
				ptrace(PTRACE_SETREGS, threads[i], NULL, &registers);
			}
			ptrace(PTRACE_CONT, threads[i], NULL, NULL);
		}
	}
}

/* How the thread goes on from its breakpoint, which is no longer there then; 0 where it
 * was none. */
static int from_breakpoint(pid_t thread) {
	struct user_regs_struct registers;
	struct function *function;
	if (ptrace(PTRACE_GETREGS, thread, NULL, &registers))
		return 0;
	if (back) {
		if (registers.rip != back)
			return PTRACE_SINGLESTEP;
		back = 0;
		if (--times > 0)
			mark(&begin);
		else
			start_record(thread);
		return PTRACE_CONT;
	}
	registers.rip--;
	if (times > 0 && registers.rip == begin.start) {
		unmark(&begin);
		if (pread(memory, &back, sizeof back, (off_t)registers.rsp) != sizeof back)
			fail("reading the program's stack");
		ptrace(PTRACE_SETREGS, thread, NULL, &registers);
		return PTRACE_SINGLESTEP;
	}
	function = find(registers.rip);
	if (!function || function->start != registers.rip)
		return 0;
	record(function);
	ptrace(PTRACE_SETREGS, thread, NULL, &registers);
	return PTRACE_CONT;
}

static void remember(pid_t thread) {
	for (size_t i = 0; i < alive; i++)
		if (threads[i] == thread)
			return;
	if (alive < MOST_THREADS)
		threads[alive++] = thread;
}

static void forget(pid_t thread) {
	for (size_t i = 0; i < alive; i++)
		if (threads[i] == thread)
			threads[i] = threads[--alive];
}

static void run(char **command) {
	char path[64];
	program = fork();
	if (program < 0)
		fail("fork");
	if (program == 0) {
		raise(SIGSTOP);
		execv(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	waitpid(program, NULL, WUNTRACED);
	if (ptrace(PTRACE_SEIZE, program, NULL, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		fail("ptrace");
	kill(program, SIGCONT);
	snprintf(path, sizeof path, "/proc/%d/mem", program);
	for (;;) {
		int status;
		if (waitpid(program, &status, __WALL) < 0 || !WIFSTOPPED(status))
			fail(command[0]);
		if (status >> 16 == PTRACE_EVENT_EXEC)
			break;
		ptrace(PTRACE_CONT, program, NULL, NULL);
	}
	if ((memory = open(path, O_RDWR | O_CLOEXEC)) < 0)
		fail(path);
	remember(program);
	mark(&begin);
	ptrace(PTRACE_CONT, program, NULL, NULL);
}

int main(int argc, char **argv) {
	const struct sigaction on_anew = {.sa_handler = begin_anew};
	FILE *addresses;
	int status = 0;
	if (argc < 6 || !(addresses = fopen(argv[2], "r")) || !(output = fopen(argv[1], "a")))
		return 2;
	while (count < MOST_FUNCTIONS && fscanf(addresses, "%lx", &functions[count].start) == 1)
		count++;
	begin.start = strtoul(argv[3], NULL, 16);
	times = atol(argv[4]);
	signal(SIGTERM, pass_on);
	signal(SIGINT, pass_on);
	signal(SIGHUP, pass_on);
	sigaction(SIGUSR1, &on_anew, NULL);
	run(argv + 5);
	for (;;) {
		pid_t thread;
		int signal;
		if (anew && times <= 0) {
			anew = 0;
			if (ftruncate(fileno(output), 0))
				fail("truncating the output");
			start_record(0);
		}
		thread = waitpid(-1, &status, __WALL);
		signal = WSTOPSIG(status);
		if (thread < 0 && errno == EINTR)
			continue;
		if (thread < 0)
			break;
		if (!WIFSTOPPED(status)) {
			forget(thread);
			if (thread == program)
				return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			continue;
		}
		remember(thread);
		int how = 0;
		if (signal == SIGTRAP && !(status >> 16))
			how = from_breakpoint(thread);
		if (how || status >> 16)
			signal = 0;
		ptrace(how ? (unsigned)how : PTRACE_CONT, thread, NULL, (void *)(long)signal);
	}
	return 1;
}
