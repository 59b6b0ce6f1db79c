/* Runs one fuzz target without a fuzzer, in every `make check`:
 *
 *	replay_NAME KEEP FOLDER...     an absent folder is an empty one
 *
 * Each file of the folders as it is, then mutations of them, the same on every run. When the target
 * dies, the input that killed it is kept as the file KEEP. */
#include "manifests/base/fs.h"
#include "manifests/base/vec.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

enum { MUTATIONS = 600, EACH_AT_LEAST = 4, SECONDS = 60, INPUT_MAX = 4 << 20 };

static struct {
	const uint8_t *data;
	size_t size;
	const char *keep;
} running;

struct inputs {
	struct buf *v;
	size_t n, cap;
};

/* In a dying process: no allocation, no stdio. */
static void keep_input(void)
{
	int fd = open(running.keep, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd >= 0) {
		ssize_t n = write(fd, running.data, running.size);

		(void)n;
		close(fd);
	}
}

static void on_signal(int number)
{
	static const char text[] = "replay: the target aborted or ran for a minute\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	keep_input();
	signal(number, SIG_DFL);
	raise(number);
}

/* In memory of exactly its size (also none), so that one byte too far is seen. */
static void run(struct str input)
{
	uint8_t *copy = malloc(input.n);

	if (!copy) {
		abort();
	}
	if (input.n) {
		memcpy(copy, input.p, input.n);
	}
	running.data = copy;
	running.size = input.n;
	alarm(SECONDS);
	LLVMFuzzerTestOneInput(copy, input.n);
	alarm(0);
	free(copy);
}

static uint64_t draw(uint64_t *state, uint64_t below) /* xorshift64 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return below ? *state % below : 0;
}

static void overwrite(struct buf *b, uint64_t *state)
{
	static const unsigned char odd[] = { 0, 1, 0x7F, 0x80, 0xFF, '\n', '"', '\\', '/', '.', '0',
		'9', '[' };
	size_t at = (size_t)draw(state, b->n), n = 1 + (size_t)draw(state, 4);

	for (size_t i = at; i < at + n && i < b->n; i++) {
		b->p[i] = (char)odd[draw(state, sizeof(odd))];
	}
}

static void flip(struct buf *b, uint64_t *state)
{
	b->p[draw(state, b->n)] ^= (char)(1u << draw(state, 8));
}

static void cut_out(struct buf *b, uint64_t *state)
{
	size_t at = (size_t)draw(state, b->n), n = 1 + (size_t)draw(state, b->n - at);

	memmove(b->p + at, b->p + at + n, b->n - at - n);
	b->n -= n;
}

static void truncate_at(struct buf *b, uint64_t *state)
{
	b->n = (size_t)draw(state, b->n);
}

/* A piece of another input, or of this one, behind a place in the middle. */
static void insert_piece(struct buf *b, struct str other, uint64_t *state)
{
	CLEANUP_BUF struct buf tail = BUF_INIT;
	size_t at = (size_t)draw(state, b->n), from = (size_t)draw(state, other.n);

	buf_add(&tail, b->p + at, b->n - at);
	b->n = at;
	buf_addstr(b, str_first(str_skip(other, from), 1 + (size_t)draw(state, 256)));
	buf_addstr(b, buf_str(&tail));
}

static void mutate(struct buf *b, const struct inputs *all, uint64_t *state)
{
	for (uint64_t rounds = 1 + draw(state, 4); rounds && b->n; rounds--) {
		switch (draw(state, 8)) {
		case 0:
			cut_out(b, state);
			break;
		case 1:
			truncate_at(b, state);
			break;
		case 2:
		case 3:
			insert_piece(b, buf_str(&all->v[draw(state, all->n)]), state);
			break;
		case 4:
		case 5:
			flip(b, state);
			break;
		default:
			overwrite(b, state);
			break;
		}
	}
}

static int read_folder(const char *folder, struct inputs *inputs, struct err *e)
{
	struct arena a = ARENA_INIT;
	char **names = NULL;
	size_t n = 0;
	int r = fs_exists(folder) ? fs_list(folder, &a, &names, &n, e) : 0;

	for (size_t i = 0; !r && i < n; i++) {
		struct buf b = BUF_INIT;

		r = fs_read(arena_printf(&a, "%s/%s", folder, names[i]), INPUT_MAX, &b, e);
		vec_push(inputs, b);
	}
	arena_release(&a);
	return r;
}

static size_t run_mutations(const struct inputs *inputs)
{
	uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
	size_t each = MUTATIONS / inputs->n, count = 0;

	vec_each(struct buf, input, inputs) {
		for (size_t i = 0; i < (each < EACH_AT_LEAST ? EACH_AT_LEAST : each);
			i++, count++) {
			CLEANUP_BUF struct buf b = BUF_INIT;

			buf_addstr(&b, buf_str(input));
			mutate(&b, inputs, &state);
			run(buf_str(&b));
		}
	}
	return count;
}

int main(int argc, char **argv)
{
	struct inputs inputs = VEC_INIT;
	struct err e = ERR_INIT;

	if (argc < 3) {
		fputs("usage: replay_NAME KEEP FOLDER...\n", stderr);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		if (read_folder(argv[i], &inputs, &e)) {
			fprintf(stderr, "replay: %s\n", e.text);
			return 3;
		}
	}
	if (inputs.n == 0) {
		fputs("replay: no input to begin with\n", stderr);
		return 1;
	}
	running.keep = argv[1];
	signal(SIGABRT, on_signal);
	signal(SIGALRM, on_signal);
	if (__sanitizer_set_death_callback) {
		__sanitizer_set_death_callback(keep_input);
	}
	run(STR_NULL);
	vec_each(struct buf, input, &inputs) {
		run(buf_str(input));
	}
	size_t mutations = run_mutations(&inputs);
	printf("%zu files, %zu mutations\n", inputs.n, mutations);
	vec_each(struct buf, input, &inputs) {
		buf_release(input);
	}
	vec_release(&inputs);
	return 0;
}
