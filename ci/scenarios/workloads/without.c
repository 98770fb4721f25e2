/*
 * Runs a program on a kernel that lacks system calls: each fails with ENOSYS, for good and
 * for whatever the program starts.
 *
 *   without NAME[,NAME...] PROGRAM [ARGUMENT...]
 *   without linux-4.4 PROGRAM [ARGUMENT...]        every call that came after Linux 4.4, and
 *                                                  the flag SPEC_ALLOW of seccomp
 *
 * Exit 2 is a mistake in the call, 1 a kernel that takes no filter. It needs root: with
 * no_new_privs, which others need, the program would not be what it is otherwise.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/filter.h and linux/seccomp.h, which musl does not bring. */
struct line { uint16_t code; uint8_t fits, differs; uint32_t value; };
struct program { unsigned short length; struct line *lines; };
enum { LOAD = 0x20, EQUAL = 0x15, AT_LEAST = 0x35, HAS = 0x45, RETURN = 0x06 };
enum { FILTER = 2, SPEC_ALLOW = 4, NUMBER = 0, SECOND_ARGUMENT = 24 };
#define ALLOW 0x7fff0000u
#define FAIL(with) (0x00050000u | (with))

/* The first number that Linux 4.4 does not know; the newer ones are higher. */
#if defined(__x86_64__)
#define AFTER_4_4 326 /* copy_file_range */
#elif defined(__aarch64__)
#define AFTER_4_4 285 /* the same */
#elif defined(__arm__)
#define AFTER_4_4 391
#elif defined(__i386__)
#define AFTER_4_4 377
#else
#error "which number is the first after Linux 4.4?"
#endif

/* musl 1.2.3 does not know them; they are the same everywhere. */
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

#define CALL(name) { #name, SYS_##name }
static const struct { const char *name; uint32_t number; } calls[] = {
	CALL(statx), CALL(pidfd_send_signal), CALL(pidfd_open), CALL(clone3),
	CALL(close_range), CALL(openat2), CALL(faccessat2), CALL(epoll_pwait2),
	CALL(quotactl_fd), CALL(landlock_create_ruleset), CALL(landlock_add_rule),
	CALL(landlock_restrict_self), CALL(process_mrelease), CALL(seccomp),
	CALL(getrandom), CALL(memfd_create), CALL(membarrier), CALL(renameat2),
};

static int number_of(const char *name, uint32_t *number)
{
	for (size_t at = 0; at < sizeof(calls) / sizeof(*calls); at++)
		if (!strcmp(calls[at].name, name)) {
			*number = calls[at].number;
			return 1;
		}
	return 0;
}

int main(int count, char **arguments)
{
	static const struct line spec_allow[] = {
		{ EQUAL, 0, 4, SYS_seccomp },
		{ LOAD, 0, 0, SECOND_ARGUMENT },
		{ HAS, 0, 1, SPEC_ALLOW },
		{ RETURN, 0, 0, FAIL(EINVAL) },
		{ LOAD, 0, 0, NUMBER },
	};
	struct line lines[128] = { { LOAD, 0, 0, NUMBER } };
	struct program program = { 1, lines };

	if (count < 3)
		goto usage;
	for (char *name = strtok(arguments[1], ","); name; name = strtok(NULL, ",")) {
		struct line test = { EQUAL, 0, 1, 0 };

		if (program.length + 8 > (int)(sizeof(lines) / sizeof(*lines)))
			goto usage;
		if (!strcmp(name, "linux-4.4")) {
			memcpy(lines + program.length, spec_allow, sizeof(spec_allow));
			program.length += sizeof(spec_allow) / sizeof(*spec_allow);
			test = (struct line){ AT_LEAST, 0, 1, AFTER_4_4 };
		} else if (!number_of(name, &test.value))
			goto usage;
		lines[program.length++] = test;
		lines[program.length++] = (struct line){ RETURN, 0, 0, FAIL(ENOSYS) };
	}
	lines[program.length++] = (struct line){ RETURN, 0, 0, ALLOW };
	if (prctl(PR_SET_SECCOMP, FILTER, &program)) {
		perror("without: seccomp");
		return 1;
	}
	execvp(arguments[2], arguments + 2);
	perror(arguments[2]);
	return 127;
usage:
	fprintf(stderr, "usage: without CALL[,CALL...] PROGRAM [ARGUMENT...]; linux-4.4 stands for all after it\n");
	return 2;
}
