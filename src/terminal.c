/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "report/report_columns.h"
#include "report/report_values.h"

enum { LEAST_WHAT = 14 }; /* columns needed to show what is being read */

/* The progress line at the bottom of the terminal, of which a process has one. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    pthread_t thread;
    struct progress *progress; /* NULL: none is shown */
    struct timespec start;
    char what[256];
    bool drawn;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- messages ---- */

static void erase(void)
{
    if (line.drawn)
        fputs("\r\033[K", stderr);
    line.drawn = false;
}

/* Shows the text if there is no memory to escape it. */
static void show_plain(const char *text)
{
    fputs("kith: ", stderr);
    for (; *text; text++)
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', stderr);
    fputc('\n', stderr);
}

static void show(const char *text)
{
    struct buffer out = {0};

    escape_text(&out, text, strlen(text));
    pthread_mutex_lock(&line.lock);
    erase();
    if (out.failed)
        show_plain(text);
    else
        fprintf(stderr, "kith: %.*s\n", (int)out.len, out.data ? out.data : "");
    pthread_mutex_unlock(&line.lock);
    buffer_release(&out);
}

void complain(const char *fmt, ...)
{
    char text[6144];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    show(text);
}

const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool output_lacks; /* memory ran out for some output */

void note_output(const struct buffer *made)
{
    output_lacks = output_lacks || made->failed;
}

void put_output(const struct buffer *out)
{
    note_output(out);
    if (!output_lacks && out->len)
        fwrite(out->data, 1, out->len, stdout);
}

void say(const char *fmt, ...)
{
    char text[6144];
    struct buffer out = {0};
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    escape_text(&out, text, strlen(text));
    buffer_add_char(&out, '\n');
    put_output(&out);
    buffer_release(&out);
}

void complain_error(const struct error *err)
{
    show(err->text);
}

int finish_output(void)
{
    if (fflush(stdout) || ferror(stdout))
        complain("cannot write to standard output: %m");
    else if (output_lacks)
        complain("out of memory; the output is incomplete");
    else
        return 0;
    return -1;
}

/* ---- the terminal ---- */

static bool is_dumb(void)
{
    const char *term = getenv("TERM");

    return !term || strcmp(term, "dumb") == 0;
}

unsigned terminal_width(int fd)
{
    struct winsize size;

    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

bool terminal_colours(int fd)
{
    const char *no_color = getenv("NO_COLOR");

    return isatty(fd) && !is_dumb() && !(no_color && *no_color);
}

/* ---- progress ---- */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static void add_what(struct buffer *out, unsigned room)
{
    struct buffer text = {0};

    if (room < LEAST_WHAT)
        return;
    escape_text(&text, line.what, strlen(line.what));
    buffer_add_text(out, ": ");
    report_columns_shorten(out, text.len ? text.data : "", text.len, room - 2);
    buffer_release(&text);
}

static void add_time_left(struct buffer *out, double seconds)
{
    if (seconds < 100)
        buffer_printf(out, ", %.0f s left", seconds);
    else if (seconds < 6000)
        buffer_printf(out, ", %.0f min left", seconds / 60);
    else
        buffer_printf(out, ", %.1f h left", seconds / 3600);
}

static void add_numbers(struct buffer *out, struct progress *progress)
{
    const double bytes = (double)atomic_load(&progress->bytes), total = (double)atomic_load(&progress->total);
    const double seconds = seconds_since(&line.start), rate = bytes / (seconds > 0.001 ? seconds : 0.001);

    report_values_count(out, atomic_load(&progress->count), progress->noun);
    for (size_t i = 0; i < PROGRESS_FOUND; i++)
        if (atomic_load(&progress->found[i]))
            buffer_printf(out, ", %llu %s", atomic_load(&progress->found[i]), progress->found_nouns[i]);
    if (bytes > 0)
        buffer_printf(out, ", %.1f MB, %.0f MB/s", bytes / 1e6, rate / 1e6);
    if (bytes > 0 && total > bytes && seconds > 1)
        add_time_left(out, (total - bytes) / rate);
}

static void draw(void)
{
    const unsigned width = terminal_width(STDERR_FILENO);
    struct buffer out = {0};

    add_numbers(&out, line.progress);
    if (line.what[0] && width > out.len)
        add_what(&out, width - (unsigned)out.len - 1);
    fprintf(stderr, "\r%.*s\033[K", (int)out.len, out.data ? out.data : "");
    fflush(stderr);
    line.drawn = true;
    buffer_release(&out);
}

void progress_what(const char *text)
{
    if (!line.progress)
        return;
    pthread_mutex_lock(&line.lock);
    snprintf(line.what, sizeof line.what, "%s", text);
    pthread_mutex_unlock(&line.lock);
}

static void *redraw(void *arg)
{
    struct timespec next;

    (void)arg;
    pthread_mutex_lock(&line.lock);
    while (line.progress) {
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_nsec += 250000000;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&line.ended, &line.lock, &next);
        if (line.progress)
            draw();
    }
    pthread_mutex_unlock(&line.lock);
    return NULL;
}

void progress_start(struct progress *progress, bool quiet)
{
    if (quiet || !isatty(STDERR_FILENO) || is_dumb())
        return;
    clock_gettime(CLOCK_MONOTONIC, &line.start);
    pthread_cond_init(&line.ended, NULL);
    line.progress = progress;
    if (pthread_create(&line.thread, NULL, redraw, NULL) != 0)
        line.progress = NULL;
}

void progress_stop(void)
{
    if (!line.progress)
        return;
    pthread_mutex_lock(&line.lock);
    line.progress = NULL;
    erase();
    pthread_cond_signal(&line.ended);
    pthread_mutex_unlock(&line.lock);
    pthread_join(line.thread, NULL);
    pthread_cond_destroy(&line.ended);
}
