#include "manifests/base/log.h"
#include "manifests/base/json.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool quiet_mode, line_is_drawn;

void log_quiet(bool quiet)
{
	quiet_mode = quiet;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The caller holds the lock. A drawn progress line is wiped before anything else is printed. */
static void wipe(void)
{
	if (line_is_drawn) {
		fputs("\r\033[K", stderr);
		line_is_drawn = false;
	}
}

static void __attribute__((format(printf, 2, 0)))
say(const char *before, const char *fmt, va_list args)
{
	pthread_mutex_lock(&lock);
	wipe();
	fputs(before, stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	pthread_mutex_unlock(&lock);
}

void log_say(const char *fmt, ...)
{
	va_list args;

	if (quiet_mode) {
		return;
	}
	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

void log_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("warning: ", fmt, args);
	va_end(args);
}

const char *log_size(uint64_t bytes, char out[24])
{
	static const char *const unit[] = { "kB", "MB", "GB", "TB", "PB" };
	double value = (double)bytes / 1000;
	size_t i = 0;

	if (bytes < 1000) {
		snprintf(out, 24, "%u B", (unsigned)bytes);
		return out;
	}
	while (value >= 999.95 && i + 1 < sizeof(unit) / sizeof(unit[0])) {
		value /= 1000;
		i++;
	}
	snprintf(out, 24, "%.1f %s", value, unit[i]);
	return out;
}

void log_progress_begin(struct log_progress *p, const char *what, uint64_t total)
{
	*p = (struct log_progress){ .what = what, .total = total, .began = now() };
	p->shown = p->began;
}

static void show(struct log_progress *p, double t, bool drawn)
{
	char done[24], total[24], rate[24], left[48] = "";
	double seconds = t - p->began > 0.001 ? t - p->began : 0.001;
	double per_second = (double)p->done / seconds;

	if (p->total && per_second > 1 && p->done < p->total) {
		unsigned s = (unsigned)((double)(p->total - p->done) / per_second + 0.5);

		snprintf(left, sizeof(left), ", %u:%02u left", s / 60, s % 60);
	}
	pthread_mutex_lock(&lock);
	wipe();
	fprintf(stderr, "%s: %s%s%s, %s/s%s", p->what, log_size(p->done, done), p->total ? " of " : "",
		p->total ? log_size(p->total, total) : "", log_size((uint64_t)per_second, rate), left);
	if (drawn) {
		fflush(stderr);
		line_is_drawn = true;
	} else {
		fputc('\n', stderr);
	}
	pthread_mutex_unlock(&lock);
}

void log_progress_add(struct log_progress *p, uint64_t bytes)
{
	p->done += bytes;
	if (quiet_mode) {
		return;
	}
	double t = now();
	bool terminal = isatty(STDERR_FILENO);
	if (t - p->shown >= (terminal ? 0.1 : 10)) {
		p->shown = t;
		p->drawn = true;
		show(p, t, terminal);
	}
}

void log_progress_end(struct log_progress *p)
{
	if (!quiet_mode && (p->drawn || p->done >= 1000000)) {
		show(p, now(), false);
	}
}

int log_error(const char *program, const struct err *e, bool json)
{
	pthread_mutex_lock(&lock);
	wipe();
	fprintf(stderr, "%s: %s\n", program, e->text);
	if (e->hint[0]) {
		fprintf(stderr, "  %s\n", e->hint);
	}
	pthread_mutex_unlock(&lock);
	if (json) {
		CLEANUP_BUF struct buf b = BUF_INIT;
		struct json_out o;

		json_out_init(&o, &b, true);
		json_begin_object(&o);
		json_put_key(&o, "error");
		json_begin_object(&o);
		json_str(&o, "hint", str_of(e->hint));
		json_str(&o, "reason", str_of(err_reason(e->rc)));
		json_str(&o, "text", str_of(e->text));
		json_end_object(&o);
		json_end_object(&o);
		puts(b.p);
	}
	return err_exit_status(e->rc);
}
