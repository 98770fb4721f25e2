/*
 * What the scenarios have at the ends of unix sockets, where it is slow or hostile. Runs
 * until it is ended by a signal, and its children with it, save "ask"; exit 2 is a mistake
 * in the call.
 *
 *   peers ask SOCKET METHOD PATH       one request to an HTTP server; prints its answer, the
 *                                      head too, and fails where there is none in 5 seconds
 *   peers mute SOCKET                  a client that says nothing
 *   peers crowd PORT COUNT             so many clients of this machine's port that say nothing,
 *                                      each of which comes back when it is dropped
 *   peers dawdle SOCKET COUNT          so many clients of an HTTP server, again and again:
 *                                      every other one sends a byte of its request each
 *                                      100 ms, the rest send all of it and read nothing
 *   peers late SOCKET TARGET SECONDS   in front of the server at TARGET: whatever that
 *                                      answers is passed on so much later; where a path
 *                                      stands for SECONDS, as much as that file says then
 *   peers slow SOCKET TARGET SECONDS   the same with what it is asked
 *   peers docker SOCKET [KEY FILE]...  a container runtime, over HTTP: whatever the request,
 *                                      what lies in the file of the first KEY in it, and
 *                                      404 where there is none; of a named pipe, without an
 *                                      end, what is written into it while somebody reads
 *   peers cri SOCKET [KEY FILE]...     the same over gRPC, with NOT_FOUND
 *   peers varlink SOCKET MESSAGE       whoever asks is told that, as by varlink, and waits for
 *                                      more
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

static int ask(const char *path, const char *method, const char *page)
{
	static char bytes[65536];
	int end = connected(path);
	ssize_t length = snprintf(bytes, sizeof(bytes), "%s %s HTTP/1.0\r\nHost: localhost\r\n\r\n", method, page);
	size_t answered = 0;

	alarm(5);
	if (send(end, bytes, length, MSG_NOSIGNAL) != length)
		give_up("send");
	while ((length = recv(end, bytes, sizeof(bytes), 0)) > 0)
		answered += fwrite(bytes, 1, length, stdout);
	return length < 0 || answered == 0;
}

/* As many seconds as that says, or the file of that path now. */
static long millis_of(const char *seconds)
{
	char text[32] = "";
	int file;

	if (*seconds != '/')
		return atof(seconds) * 1000;
	file = open(seconds, O_RDONLY | O_CLOEXEC);
	if (file < 0 || read(file, text, sizeof(text) - 1) < 0)
		give_up(seconds);
	close(file);
	return atof(text) * 1000;
}

/* Bytes from one end to the other, so much later, with those that came meanwhile, until one
 * of them is gone. */
static void pass(int from, int to, const char *seconds)
{
	static char bytes[65536];

	while (recv(from, bytes, 1, MSG_PEEK) > 0) {
		ssize_t length;

		nap(millis_of(seconds));
		while ((length = recv(from, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
			for (ssize_t sent = 0, more; sent < length; sent += more)
				if ((more = send(to, bytes + sent, length - sent, MSG_NOSIGNAL)) <= 0)
					return;
	}
	shutdown(to, SHUT_WR);
}

static int listening(const char *path)
{
	struct sockaddr_un address;
	int listener = endpoint(path, &address);

	signal(SIGCHLD, SIG_IGN);
	unlink(path);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(listener, 16) < 0)
		give_up(path);
	return listener;
}

static int accepted(int listener)
{
	int client = accept(listener, NULL, NULL);

	if (client < 0)
		give_up("accept");
	return client;
}

static void late(const char *path, const char *target, const char *asked, const char *answered)
{
	int listener = listening(path);

	for (;;) {
		int client = accepted(listener), server;

		server = connected(target);
		if (in_child())
			pass(client, server, asked), exit(0);
		if (in_child())
			pass(server, client, answered), exit(0);
		close(client);
		close(server);
	}
}

static void put(int client, const void *bytes, size_t length)
{
	ssize_t more;

	for (const char *at = bytes; length > 0; at += more, length -= more)
		if ((more = send(client, at, length, MSG_NOSIGNAL)) <= 0)
			exit(0);
}

/* A frame of HTTP/2, on the stream that a connection's only call has. */
static void put_frame(int client, int kind, int flags, const void *bytes, size_t length)
{
	unsigned char head[9] = { length >> 16, length >> 8, length, kind, flags, 0, 0, 0, kind != 4 };

	put(client, head, sizeof(head));
	put(client, bytes, length);
}

enum { DATA = 0, HEADERS = 1, SETTINGS = 4, END_STREAM = 1, END_HEADERS = 4 };

static void begin_grpc(int client)
{
	static const char head[] = "\x88\0\x0c" "content-type\x10" "application/grpc";

	put_frame(client, SETTINGS, 0, "", 0);
	put_frame(client, HEADERS, END_HEADERS, head, sizeof(head) - 1);
}

static void answer_grpc(int client, int file, long length)
{
	char last[] = "\0\x0b" "grpc-status\x01" "0";
	unsigned char piece[16384] = { 0, length >> 24, length >> 16, length >> 8, length };
	ssize_t filled = 5, more = 0;

	begin_grpc(client);
	while (file >= 0 && (filled == 5 || more > 0)) {
		more = read(file, piece + filled, sizeof(piece) - filled);
		put_frame(client, DATA, 0, piece, filled + (more > 0 ? more : 0));
		filled = 0;
	}
	last[sizeof(last) - 2] = file < 0 ? '5' : '0';
	put_frame(client, HEADERS, END_HEADERS | END_STREAM, last, sizeof(last) - 1);
}

static void answer_http(int client, int file, long length)
{
	static char bytes[65536];
	ssize_t more;

	more = snprintf(bytes, sizeof(bytes), "HTTP/1.1 %s\r\nContent-Length: %ld\r\n\r\n",
			file < 0 ? "404 Not Found" : "200 OK", length);
	for (; more > 0; more = read(file, bytes, sizeof(bytes)))
		put(client, bytes, more);
}

/* What comes through the pipe, as it comes, until the client is gone. */
static void follow(int client, int file, int is_grpc)
{
	static const char head[] = "HTTP/1.0 200 OK\r\n\r\n";
	static char bytes[16384];
	struct pollfd both[] = { { file, POLLIN, 0 }, { client, POLLIN, 0 } };

	if (is_grpc)
		begin_grpc(client);
	else
		put(client, head, sizeof(head) - 1);
	while (poll(both, 2, -1) > 0) {
		ssize_t more;

		if (both[1].revents && recv(client, bytes, sizeof(bytes), 0) <= 0)
			exit(0);
		if (!both[0].revents || (more = read(file, bytes, sizeof(bytes))) <= 0)
			continue;
		if (is_grpc)
			put_frame(client, DATA, 0, bytes, more);
		else
			put(client, bytes, more);
	}
}

static void answer(int client, int is_grpc, char **pairs)
{
	static char request[65536];
	ssize_t length = recv(client, request, sizeof(request), 0);
	struct stat found = { 0 };
	int file = -1;

	for (; pairs[0] && pairs[1] && file < 0; pairs += 2)
		if (length > 0 && memmem(request, length, pairs[0], strlen(pairs[0])))
			/* Of a pipe both ends, so that it has no end. */
			if ((file = open(pairs[1], O_RDWR)) < 0 || fstat(file, &found) < 0)
				give_up(pairs[1]);
	if (S_ISFIFO(found.st_mode))
		follow(client, file, is_grpc);
	(is_grpc ? answer_grpc : answer_http)(client, file, found.st_size);
	/* Until the other side has read it all. */
	shutdown(client, SHUT_WR);
	while (recv(client, request, sizeof(request), 0) > 0)
		;
}

static void answers(const char *path, int is_grpc, char **pairs)
{
	int listener = listening(path);

	for (;;) {
		int client = accepted(listener);

		if (in_child())
			answer(client, is_grpc, pairs), exit(0);
		close(client);
	}
}

static void varlink(const char *path, const char *message)
{
	int listener = listening(path);

	for (;;) {
		int client = accepted(listener);
		char byte = 1;

		if (in_child()) {
			/* Each message ends with a zero. */
			while (byte)
				if (recv(client, &byte, 1, 0) <= 0)
					exit(0);
			put(client, message, strlen(message) + 1);
			recv(client, &byte, 1, 0);
			exit(0);
		}
		close(client);
	}
}

/* A client of a port; -1 where none is taken now. */
static int to_port(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (client < 0)
		give_up("socket");
	if (connect(client, (struct sockaddr *)&address, sizeof(address)) < 0 && errno != EINPROGRESS) {
		close(client);
		return -1;
	}
	return client;
}

static void crowd(int port, int size)
{
	struct pollfd *clients = calloc(size, sizeof(*clients));

	if (!clients)
		give_up("memory");
	for (int at = 0; at < size; at++)
		clients[at] = (struct pollfd){ .fd = to_port(port), .events = POLLIN };
	for (;;) {
		poll(clients, size, 10);
		for (int at = 0; at < size; at++) {
			if (clients[at].fd >= 0 && !clients[at].revents)
				continue;
			if (clients[at].fd >= 0)
				close(clients[at].fd);
			clients[at].fd = to_port(port);
			clients[at].revents = 0;
		}
		nap(10);
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
	if (!strcmp(what, "ask") && count == 5)
		return ask(words[2], words[3], words[4]);
	if (!strcmp(what, "mute") && count == 3) {
		connected(words[2]);
		for (;;)
			pause();
	}
	if (!strcmp(what, "crowd") && count == 4)
		crowd(atoi(words[2]), atoi(words[3]));
	if (!strcmp(what, "late") && count == 5)
		late(words[2], words[3], "0", words[4]);
	if (!strcmp(what, "slow") && count == 5)
		late(words[2], words[3], words[4], "0");
	if ((!strcmp(what, "docker") || !strcmp(what, "cri")) && count % 2)
		answers(words[2], *what == 'c', words + 3);
	if (!strcmp(what, "varlink") && count == 4)
		varlink(words[2], words[3]);
	fprintf(stderr, "peers: what is %s?\n", what);
	return 2;
}
