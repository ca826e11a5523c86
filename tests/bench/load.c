/* The load client: one epoll loop over many WebSocket connections, driven by a plan.
 *
 * `load PLAN [AT_ONCE]`: opens all connections that the plan names (load.py writes it and documents
 * it), so many at once, prints `ready` with the milliseconds after which half of them and 99 of 100
 * were, and then carries out a line of standard input after the other:
 *
 *     run SECONDS TOKENS RATE
 *
 * A group is the connections that must all have an event before its step counts as delivered. A
 * token is one step under way. RATE 0 is the closed loop: every token that comes back sends the
 * next step at once; otherwise RATE steps a second are sent, whatever is under way. A line of JSON
 * tells what was found. Whatever is not as it should be ends the program with a sentence.
 *
 * What it sends is masked with zeros, which is allowed (RFC 6455, 5.3) and saves the masking here;
 * the servers unmask it like any other. It offers no compression.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OPENING_AT_ONCE = 64, READ_AT_ONCE = 1 << 18, WAVE = 512, STDIN = -1 };
enum { OPEN_BOUND = 300, LAST_BOUND = 60 }; /* seconds */

typedef struct { const uint8_t *bytes; uint32_t length; } Blob;
typedef struct { uint8_t offset; Blob blob; } Marker;
typedef struct { uint32_t connection; Blob frame; } Step;
typedef enum { UNOPENED, CONNECTING, UPGRADING, OPENING, READY } State;

typedef struct {
    int fd;
    State state;
    uint16_t port;
    uint32_t group, ready_needed, ready_seen, events;
    bool server_first;
    Blob request;
    uint32_t prologue_count, prologue_sent;
    Blob *prologue;
    uint8_t *rest; /* of a frame that has not come whole */
    uint32_t rest_length;
} Connection;

typedef struct {
    uint32_t size;          /* connections in it */
    uint32_t steps, sent, done;
    uint64_t delivered;
    Step *step;
    uint64_t *sent_at;      /* ring of `tokens` times */
} Group;

static Connection *connections;
static Group *groups;
static uint32_t connection_count, group_count, ready_count, opened_count, opening;
static uint32_t at_once = OPENING_AT_ONCE;
static uint64_t begun, *ready_at; /* in the order in which they were */
static Marker ready_marker, event_marker, error_marker;
static int poller;
static uint8_t *buffer;

static struct {
    bool on;
    double rate;
    uint32_t ring;          /* tokens of a group */
    uint32_t *queue;        /* groups with a free token, first in first out */
    uint32_t head, length, capacity;
    uint64_t start, end, last, next, deliveries, late; /* nanoseconds, and counts */
    uint32_t under_way, *latency, latencies, room;
} run;

static void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) die("out of memory");
    return memory;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
         + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* --- the plan ------------------------------------------------------------------------------ */

static const uint8_t *at, *plan_end;

static uint32_t number(void) {
    uint32_t value;
    if (plan_end - at < 4) die("the plan ends too early");
    memcpy(&value, at, 4);
    at += 4;
    return value;
}

static Blob blob(void) {
    Blob found = {NULL, number()};
    if ((uint32_t)(plan_end - at) < found.length) die("the plan ends too early");
    found.bytes = at;
    at += found.length;
    return found;
}

static Marker marker(void) {
    Marker found;
    found.offset = (uint8_t)number();
    found.blob = blob();
    return found;
}

static void read_plan(const char *path) {
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) < 0) die("no plan at %s", path);
    uint8_t *bytes = allocate((size_t)about.st_size, 1);
    for (off_t got = 0; got < about.st_size;) {
        ssize_t more = read(file, bytes + got, (size_t)(about.st_size - got));
        if (more <= 0) die("the plan at %s cannot be read", path);
        got += more;
    }
    close(file);
    at = bytes;
    plan_end = bytes + about.st_size;
    ready_marker = marker();
    event_marker = marker();
    error_marker = marker();
    connection_count = number();
    group_count = number();
    connections = allocate(connection_count, sizeof *connections);
    groups = allocate(group_count, sizeof *groups);
    for (Connection *c = connections; c < connections + connection_count; c++) {
        c->group = number();
        if (c->group >= group_count) die("the plan names a group that it does not have");
        groups[c->group].size++;
        c->port = (uint16_t)number();
        c->ready_needed = number();
        c->server_first = number();
        c->request = blob();
        c->prologue_count = number();
        c->prologue = allocate(c->prologue_count, sizeof *c->prologue);
        for (uint32_t i = 0; i < c->prologue_count; i++) c->prologue[i] = blob();
    }
    for (Group *g = groups; g < groups + group_count; g++) {
        g->steps = number();
        g->step = allocate(g->steps, sizeof *g->step);
        for (uint32_t i = 0; i < g->steps; i++) {
            g->step[i].connection = number();
            if (g->step[i].connection >= connection_count) die("a step of no connection");
            g->step[i].frame = blob();
        }
    }
}

/* --- steps, tokens and their events --------------------------------------------------------- */

static void put(Connection *c, const void *bytes, uint32_t length) {
    ssize_t sent = send(c->fd, bytes, length, MSG_NOSIGNAL);
    if (sent != (ssize_t)length) die("the server does not read what it is sent: %s", strerror(errno));
}

static void give_back(uint32_t group) {
    run.queue[(run.head + run.length++) % run.capacity] = group;
}

/* Whether a token was free for it. */
static bool send_next(uint64_t time) {
    while (run.length) {
        uint32_t number = run.queue[run.head];
        run.head = (run.head + 1) % run.capacity;
        run.length--;
        Group *g = &groups[number];
        if (g->sent == g->steps) continue; /* its game is over: the token is gone */
        Step *step = &g->step[g->sent];
        g->sent_at[g->sent++ % run.ring] = time;
        run.under_way++;
        put(&connections[step->connection], step->frame.bytes, step->frame.length);
        return true;
    }
    return false;
}

static void delivered(Connection *c) {
    Group *g = &groups[c->group];
    c->events++;
    if (!run.on) die("an event that nobody has asked for");
    run.deliveries++;
    if (++g->delivered < (uint64_t)g->size * (g->done + 1)) return;
    run.last = now();
    if (run.latencies == run.room) {
        run.room = run.room ? 2 * run.room : 1 << 16;
        run.latency = realloc(run.latency, run.room * sizeof *run.latency);
        if (!run.latency) die("out of memory");
    }
    run.latency[run.latencies++] = (uint32_t)((run.last - g->sent_at[g->done++ % run.ring]) / 1000);
    run.under_way--;
    give_back(c->group);
    if (run.rate == 0 && run.last < run.end) send_next(run.last);
}

/* --- connections ---------------------------------------------------------------------------- */

static void open_next(void) {
    while (opening < at_once && opened_count < connection_count) {
        Connection *c = &connections[opened_count];
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(c->port)};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (c->fd < 0) die("connection %u: %s", opened_count, strerror(errno));
        int yes = 1;
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS)
            die("connection %u: %s", opened_count, strerror(errno));
        struct epoll_event wanted = {.events = EPOLLOUT, .data.u32 = opened_count};
        if (epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &wanted) < 0) die("epoll: %s", strerror(errno));
        c->state = CONNECTING;
        opened_count++;
        opening++;
    }
}

static void connected(Connection *c) {
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = (uint32_t)(c - connections)};
    if (epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &wanted) < 0) die("epoll: %s", strerror(errno));
    c->state = UPGRADING;
    put(c, c->request.bytes, c->request.length);
}

static void settle(Connection *c) {
    if (c->prologue_sent < c->prologue_count || c->ready_seen < c->ready_needed) return;
    c->state = READY;
    ready_at[ready_count++] = now() - begun;
    opening--;
    open_next();
}

static void go_on(Connection *c) {
    if (c->prologue_sent < c->prologue_count) {
        Blob frame = c->prologue[c->prologue_sent++];
        put(c, frame.bytes, frame.length);
    }
}

static bool is(Marker *wanted, const uint8_t *payload, uint32_t length) {
    return wanted->blob.length && length >= wanted->offset + wanted->blob.length
        && !memcmp(payload + wanted->offset, wanted->blob.bytes, wanted->blob.length);
}

static void pong(Connection *c, const uint8_t *payload, uint32_t length) {
    uint8_t frame[6 + 125] = {0x8a, (uint8_t)(0x80 | length)};
    memcpy(frame + 6, payload, length);
    put(c, frame, 6 + length);
}

static void take(Connection *c, uint8_t head, const uint8_t *payload, uint32_t length) {
    if (head == 0x89) { pong(c, payload, length); return; }
    if (head == 0x88) die("the server has closed connection %ld with %d", (long)(c - connections),
                          length < 2 ? 1005 : payload[0] << 8 | payload[1]);
    if (head != 0x81 && head != 0x82) die("a frame that begins with %02x", head);
    if (is(&event_marker, payload, length)) { delivered(c); return; }
    if (is(&error_marker, payload, length)) {
        for (uint32_t i = 0; i < length; i++)
            fputc(payload[i] < 0x20 || payload[i] > 0x7e ? '.' : payload[i], stderr);
        die(": the server has refused a step of connection %ld", (long)(c - connections));
    }
    if (c->state != OPENING) return;
    if (is(&ready_marker, payload, length)) c->ready_seen++;
    go_on(c);
    settle(c);
}

/* The end of the handshake's answer in the bytes; 0 if it has not come whole. */
static uint32_t upgraded(Connection *c, const uint8_t *bytes, uint32_t length) {
    const uint8_t *end = memmem(bytes, length, "\r\n\r\n", 4);
    if (!end) return 0;
    if (length < 12 || memcmp(bytes + 9, "101", 3)) die("%.*s", (int)length, (const char *)bytes);
    c->state = OPENING;
    if (!c->server_first) go_on(c);
    settle(c);
    return (uint32_t)(end + 4 - bytes);
}

/* Take all whole frames; returns the bytes that were taken. */
static uint32_t parse(Connection *c, const uint8_t *bytes, uint32_t length) {
    uint32_t from = c->state == UPGRADING ? upgraded(c, bytes, length) : 0;
    if (c->state == UPGRADING) return 0;
    while (length - from >= 2) {
        uint32_t size = bytes[from + 1] & 0x7f, head = 2;
        if (size >= 126) {
            head = size == 126 ? 4 : 10;
            if (length - from < head) break;
            const uint8_t *digits = bytes + from + head;
            size = size == 126 ? (uint32_t)digits[-2] << 8 | digits[-1]
                 : (uint32_t)digits[-4] << 24 | (uint32_t)digits[-3] << 16
                 | (uint32_t)digits[-2] << 8 | digits[-1];
        }
        if (length - from - head < size || length - from < head) break;
        take(c, bytes[from], bytes + from + head, size);
        from += head + size;
    }
    return from;
}

static void readable(Connection *c) {
    uint32_t before = c->rest_length;
    if (before) memcpy(buffer, c->rest, before);
    ssize_t got = recv(c->fd, buffer + before, READ_AT_ONCE - before, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) die("connection %ld is gone", (long)(c - connections));
    uint32_t length = before + (uint32_t)got, taken = parse(c, buffer, length);
    if (length - taken == READ_AT_ONCE) die("a frame of more than %d bytes", READ_AT_ONCE);
    free(c->rest);
    c->rest = NULL;
    c->rest_length = length - taken;
    if (c->rest_length) {
        c->rest = allocate(c->rest_length, 1);
        memcpy(c->rest, buffer + taken, c->rest_length);
    }
}

/* --- the loop ------------------------------------------------------------------------------- */

static bool turn(int milliseconds) {
    static struct epoll_event found[WAVE];
    int count = epoll_wait(poller, found, WAVE, milliseconds);
    bool asked = false;
    for (int i = 0; i < count; i++) {
        Connection *c = &connections[found[i].data.u32];
        if (found[i].data.u32 == (uint32_t)STDIN) asked = true;
        else if (c->state == CONNECTING) connected(c);
        else readable(c);
    }
    return asked;
}

static void begin(double seconds, uint32_t tokens, double rate) {
    run.rate = rate;
    run.ring = (tokens + group_count - 1) / group_count;
    run.capacity = run.ring * group_count;
    run.queue = allocate(run.capacity, sizeof *run.queue);
    run.head = run.length = run.under_way = run.latencies = 0;
    run.deliveries = run.late = 0;
    for (uint32_t g = 0; g < group_count; g++)
        groups[g].sent_at = allocate(run.ring, sizeof *groups[g].sent_at);
    for (uint32_t each = 0; each < run.ring; each++)
        for (uint32_t g = 0; g < group_count; g++) give_back(g);
    run.start = run.next = run.last = now();
    run.end = run.start + (uint64_t)(seconds * 1e9);
    run.on = true;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t quantile(double part) {
    if (!run.latencies) return 0;
    uint32_t place = (uint32_t)(part * run.latencies);
    return run.latency[place < run.latencies ? place : run.latencies - 1];
}

static void finish(double processor) {
    bool dry = true;
    for (uint32_t c = 0; c < connection_count; c++)
        if (connections[c].events != groups[connections[c].group].done)
            die("connection %u has %u events instead of %u", c, connections[c].events,
                groups[connections[c].group].done);
    for (uint32_t g = 0; g < group_count; g++) {
        dry &= groups[g].sent == groups[g].steps;
        free(groups[g].sent_at);
    }
    free(run.queue);
    run.on = false;
    qsort(run.latency, run.latencies, sizeof *run.latency, ascending);
    printf("{\"seconds\": %.6f, \"actions\": %u, \"deliveries\": %llu, \"processor\": %.6f, "
           "\"late\": %llu, \"dry\": %s, \"p50\": %u, \"p99\": %u, \"worst\": %u}\n",
           (double)(run.last - run.start) / 1e9, run.latencies,
           (unsigned long long)run.deliveries, processor, (unsigned long long)run.late,
           dry ? "true" : "false", quantile(0.5), quantile(0.99), quantile(1));
    fflush(stdout);
}

static void carry_out(const char *line) {
    double seconds, rate, processor = processor_seconds();
    uint32_t tokens;
    if (sscanf(line, "run %lf %u %lf", &seconds, &tokens, &rate) != 3 || !tokens)
        die("not an order: %s", line);
    begin(seconds, tokens, rate);
    if (rate == 0)
        for (uint32_t each = 0; each < tokens; each++) send_next(now());
    uint64_t bound = run.end + LAST_BOUND * 1000000000ull, time;
    while ((time = now()) < run.end || run.under_way) {
        if (time > bound) die("%u steps have not reached all within %d s", run.under_way, LAST_BOUND);
        if (rate == 0 && !run.under_way) break; /* all games are over */
        int wait = 100;
        if (rate > 0 && time < run.end) {
            if (time >= run.next) {
                run.next += (uint64_t)(1e9 / rate);
                run.late += !send_next(time);
            }
            wait = run.next > time ? (int)((run.next - time + 999999) / 1000000) : 0;
        }
        turn(wait);
    }
    finish(processor_seconds() - processor);
}

static double placed(uint32_t percent) {
    return ready_count ? (double)ready_at[(uint64_t)(ready_count - 1) * percent / 100] / 1e6 : 0;
}

int main(int count, char **arguments) {
    if (count != 2 && count != 3) die("usage: load PLAN [AT_ONCE]");
    read_plan(arguments[1]);
    if (count == 3) at_once = (uint32_t)atoi(arguments[2]);
    ready_at = allocate(connection_count, sizeof *ready_at);
    buffer = allocate(READ_AT_ONCE, 1);
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event orders = {.events = EPOLLIN, .data.u32 = (uint32_t)STDIN};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, 0, &orders) < 0) die("standard input is no pipe");
    begun = now();
    uint64_t bound = begun + OPEN_BOUND * 1000000000ull;
    open_next();
    while (ready_count < connection_count) {
        if (turn(1000)) die("an order before all were ready");
        if (now() > bound) die("only %u of %u connections are ready", ready_count, connection_count);
    }
    printf("ready %.1f %.1f\n", placed(50), placed(99));
    fflush(stdout);
    char line[256];
    while (true)
        if (turn(-1)) {
            /* One order at a time: who gives them waits for the answer. */
            ssize_t length = read(0, line, sizeof line - 1);
            if (length <= 0) return 0;
            line[length] = 0;
            carry_out(line);
        }
}
