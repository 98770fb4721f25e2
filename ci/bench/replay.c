/*
 * replay PROFILE PAGES ends|stays [COUNTER]: holds as many MiB as PROFILE says, a line for each
 * 100 ms, and writes to PAGES random pages of what it holds in each of them. A step that waits
 * for memory is late, and so are all after it, as with the program that the profile is of. Half
 * of each page is noise. At the profile's end it says "done" and ends, or goes on with what it
 * holds. Into COUNTER it writes how many steps it has done.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MIB (1L << 20)
#define MOST 4096

static char *chunks[MOST];
static uint64_t state = 88172645463325252;

static uint64_t noise(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void hold(long want)
{
	static long have;

	while (have > want)
		munmap(chunks[--have], MIB);
	for (; have < want && have < MOST; have++) {
		char *chunk = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (chunk == MAP_FAILED)
			return;
		for (long page = 0; page < MIB; page += 4096)
			for (long at = 0; at < 2048; at += 8) {
				uint64_t word = noise();

				memcpy(chunk + page + at, &word, 8);
			}
		chunks[have] = chunk;
	}
}

int main(int count, char **words)
{
	struct timespec tenth = { 0, 100000000 };
	int counter = count > 4 ? open(words[4], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	FILE *profile = count > 3 ? fopen(words[1], "r") : NULL;
	int stays, over = 0;
	long want = 0, pages;

	if (!profile)
		return fprintf(stderr, "replay: PROFILE PAGES ends|stays [COUNTER]\n"), 2;
	pages = atol(words[2]);
	stays = !strcmp(words[3], "stays");
	for (long steps = 1;; steps++) {
		if (!over && fscanf(profile, "%ld", &want) != 1) {
			over = 1;
			if (stays)
				puts("done"), fflush(stdout);
			else
				return 0;
		}
		hold(want);
		for (long page = 0; want > 0 && page < pages; page++)
			chunks[noise() % want][noise() % 256 * 4096]++;
		if (counter >= 0)
			dprintf(counter, "%ld\n", steps), lseek(counter, 0, SEEK_SET);
		nanosleep(&tenth, NULL);
	}
}
