/*
 * What the static binary links as libunwind.a, instead of gcc's unwinder.
 *
 * A panic prints its message and its place, and then aborts: nothing ever unwinds.
 * std links an unwinder all the same, only to print the backtrace that
 * RUST_BACKTRACE asks for, which without symbols is a list of bare addresses.
 * gcc's unwinder would bring 30 kB, and its tables of the code twice as much.
 */
#include <stdint.h>
#include <sys/prctl.h>

/* Linux' names of the codes in unwind.h. */
enum { end_of_stack = 5 };

/* Walks a stack without frames: a backtrace is empty. */
int _Unwind_Backtrace(void *trace, void *argument)
{
	(void)trace;
	(void)argument;
	return end_of_stack;
}

/* Never called, as there is no frame to ask. */
uintptr_t _Unwind_GetIP(void *frame)
{
	(void)frame;
	return 0;
}

/*
 * The name of the calling thread. musl's own can name any thread, and brings in
 * all of printf for the path of its file in /proc; std only names the thread it
 * is in, and has cut the name to the 15 bytes that Linux keeps.
 */
int pthread_setname_np(void *thread, const char *name)
{
	(void)thread;
	return prctl(PR_SET_NAME, name, 0, 0, 0) == 0 ? 0 : -1;
}
