/* What the two memchr programs share: a call, and a run of checked calls. */
#include "bench.h"
#include "candidates.h"

struct memchr_call {
    const char *s;
    size_t n;
    const void *expected;
};

static unsigned long
memchr_run(void *arg, int column, unsigned long times)
{
    memchr_fn *const fn = memchr_candidates[column].fn;
    const struct memchr_call call = *(const struct memchr_call *)arg;
    unsigned long wrong = 0;

    for (; times != 0; times -= 4) {
        wrong += fn(call.s, '\n', call.n) != call.expected;
        wrong += fn(call.s, '\n', call.n) != call.expected;
        wrong += fn(call.s, '\n', call.n) != call.expected;
        wrong += fn(call.s, '\n', call.n) != call.expected;
    }
    return wrong;
}

/* A line-aligned buffer without a newline. */
static char *
memchr_buffer(size_t size)
{
    char *p = malloc(size + 64);

    if (!p) {
        perror("no memory");
        exit(1);
    }
    memset(p, 'a', size + 64);
    return p + 64 - (size_t)p % 64;
}

static void
memchr_columns(void)
{
    for (bench.columns = 0; memchr_candidates[bench.columns].name; bench.columns++) {
        bench.column[bench.columns] = memchr_candidates[bench.columns].name;
    }
}
