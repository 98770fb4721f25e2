/* Preloaded by ci/allocations: counts what is asked of the allocator, and prints the
 * count on standard error at each SIGUSR2. With EVICTD_SHOW_ALLOCATIONS each is a system
 * call as well, one that nobody else makes, so that strace shows it in its place. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static long count;

static int shown;

static void counted(void)
{
	__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	if (shown)
		syscall(SYS_getpgid, -1);
}

void *malloc(size_t size) { return counted(), __libc_malloc(size); }
void *calloc(size_t members, size_t size) { return counted(), __libc_calloc(members, size); }
void *realloc(void *old, size_t size) { return counted(), __libc_realloc(old, size); }

int posix_memalign(void **to, size_t align, size_t size)
{
	counted();
	*to = __libc_memalign(align, size);
	return *to ? 0 : 12;
}

static void report(int signal)
{
	char text[48];
	int length = snprintf(text, sizeof(text), "allocations: %ld\n", count);

	(void)signal;
	if (write(2, text, length) < 0)
		_exit(1);
}

__attribute__((constructor)) static void begin(void)
{
	signal(SIGUSR2, report);
	shown = getenv("EVICTD_SHOW_ALLOCATIONS") != NULL;
}
