/*
 * What the scenarios have at the ends of unix sockets, where it is slow. Runs until it is
 * ended by a signal, and its children with it; exit 2 is a mistake in the call.
 *
 *   peers dawdle SOCKET COUNT          so many clients of an HTTP server, again and again:
 *                                      every other one sends a byte of its request each
 *                                      100 ms, the rest send all of it and read nothing
 *   peers late SOCKET TARGET SECONDS   in front of the server at TARGET: whatever that
 *                                      answers is passed on so much later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void nap(long millis)
{
	struct timespec time = { millis / 1000, millis % 1000 * 1000000 };
	nanosleep(&time, NULL);
}

static void give_up(const char *what)
{
	fprintf(stderr, "peers: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* A child that ends with its parent; whether this is it. */
static int in_child(void)
{
	pid_t parent = getpid(), child = fork();

	if (child < 0)
		give_up("fork");
	if (child > 0)
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		exit(0);
	return 1;
}

static int endpoint(const char *path, struct sockaddr_un *address)
{
	int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (end < 0)
		give_up("socket");
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof(address->sun_path), "%s", path);
	return end;
}

/* Waits while there is nobody yet. */
static int connected(const char *path)
{
	struct sockaddr_un address;
	int end = endpoint(path, &address);

	while (connect(end, (struct sockaddr *)&address, sizeof(address)) < 0)
		nap(20);
	return end;
}

static void dawdle(const char *path, int reads_nothing)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n";
	int end = connected(path);
	size_t sent = 0, piece = reads_nothing ? strlen(request) : 1;

	while (sent < strlen(request) && send(end, request + sent, piece, MSG_NOSIGNAL) > 0) {
		sent += piece;
		nap(100);
	}
	/* Whoever reads nothing stays for what a patient server would wait. */
	nap(reads_nothing ? 5000 : 0);
	close(end);
}

/* Bytes from one end to the other, so much later, with those that came meanwhile, until one
 * of them is gone. */
static void pass(int from, int to, long millis)
{
	static char bytes[65536];

	while (recv(from, bytes, 1, MSG_PEEK) > 0) {
		ssize_t length;

		nap(millis);
		while ((length = recv(from, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
			for (ssize_t sent = 0, more; sent < length; sent += more)
				if ((more = send(to, bytes + sent, length - sent, MSG_NOSIGNAL)) <= 0)
					return;
	}
	shutdown(to, SHUT_WR);
}

static void late(const char *path, const char *target, long millis)
{
	struct sockaddr_un address;
	int listener = endpoint(path, &address);

	signal(SIGCHLD, SIG_IGN);
	unlink(path);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(listener, 16) < 0)
		give_up(path);
	for (;;) {
		int client = accept(listener, NULL, NULL), server;

		if (client < 0)
			give_up("accept");
		server = connected(target);
		if (in_child())
			pass(client, server, 0), exit(0);
		if (in_child())
			pass(server, client, millis), exit(0);
		close(client);
		close(server);
	}
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "";

	if (!strcmp(what, "dawdle") && count == 4) {
		for (int made = 0; made < atoi(words[3]); made++)
			if (in_child())
				for (;;)
					dawdle(words[2], made % 2);
		for (;;)
			pause();
	}
	if (!strcmp(what, "late") && count == 5)
		late(words[2], words[3], atol(words[4]) * 1000);
	fprintf(stderr, "peers: what is %s?\n", what);
	return 2;
}
