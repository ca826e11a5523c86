/* The limit here: one epoll loop that sends a frame to each member of a room, in C.
 *
 * With the argument `joined`, it sends what a room was told during a turn of the loop in one write
 * to each member. No library, no checks, nothing kept: it answers every handshake with the same words (the load
 * client always asks with the same key) and trusts every frame to be whole and short.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 20000, ROOMS = 4096, WAVE = 512 };

static const char UPGRADED[] =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    "\x81\x12{\"type\":\"welcome\"}";

static int room_of[MOST]; /* by descriptor; -1: not upgraded yet */
static int first[ROOMS], next[MOST]; /* lists of descriptors; 0: no more */

static int joined;
static uint8_t told[ROOMS][8192]; /* the frames of each room that are not sent yet */
static size_t filled[ROOMS];
static int waiting[ROOMS], waits; /* the rooms that have such frames */

static void flush(int number) {
    for (int fd = first[number]; fd; fd = next[fd])
        if (send(fd, told[number], filled[number], MSG_NOSIGNAL) < 0) exit(1);
    filled[number] = 0;
}

static void flush_all(void) {
    while (waits) flush(waiting[--waits]);
}

static void broadcast(int number, const uint8_t *payload, size_t length) {
    if (filled[number] + 2 + length > sizeof told[number]) flush_all();
    if (!filled[number]) waiting[waits++] = number;
    uint8_t *frame = told[number] + filled[number];
    frame[0] = 0x81;
    frame[1] = (uint8_t)length;
    memcpy(frame + 2, payload, length);
    filled[number] += 2 + length;
    if (!joined) flush_all();
}

static void readable(int fd) {
    uint8_t bytes[65536];
    ssize_t length = recv(fd, bytes, sizeof bytes - 1, 0);
    if (length <= 0) exit(0); /* the load has ended */
    bytes[length] = 0;
    if (room_of[fd] < 0) {
        room_of[fd] = atoi((char *)bytes + strlen("GET /")) % ROOMS;
        next[fd] = first[room_of[fd]];
        first[room_of[fd]] = fd;
        if (send(fd, UPGRADED, sizeof UPGRADED - 1, MSG_NOSIGNAL) < 0) exit(1);
        return;
    }
    for (ssize_t at = 0; at + 6 <= length;) { /* the mask is zero */
        size_t size = bytes[at + 1] & 0x7f;
        broadcast(room_of[fd], bytes + at + 6, size);
        at += 6 + (ssize_t)size;
    }
}

int main(int count_of_arguments, char **arguments) {
    joined = count_of_arguments > 1 && !strcmp(arguments[1], "joined");
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), poller = epoll_create1(0), yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 1024) < 0)
        return 1;
    getsockname(listener, (struct sockaddr *)&address, &length);
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = listener}, found[WAVE];
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &wanted);
    printf("{\"port\": %d, \"settings\": \"epoll, one send for each member%s, nothing checked\"}\n",
           ntohs(address.sin_port), joined ? " and turn of the loop" : "");
    fflush(stdout);
    while (1) {
        for (int i = 0, count = epoll_wait(poller, found, WAVE, -1); i < count; i++) {
            if (found[i].data.fd != listener) { readable(found[i].data.fd); continue; }
            int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
            if (fd < 0 || fd >= MOST) return 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            room_of[fd] = -1;
            wanted.data.fd = fd;
            epoll_ctl(poller, EPOLL_CTL_ADD, fd, &wanted);
        }
        flush_all();
    }
}
