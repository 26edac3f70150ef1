/*
 * memchr over 64 bytes to 1 MB: GB/s, and beside it what reading alone takes:
 * no function that loads 16 bytes at a time is faster than the column "loads".
 */
#include "memchr_bench.h"

#include <emmintrin.h>

/* n is a multiple of 16. */
static __attribute__((noinline)) void
loads(const char *s, size_t n)
{
    __m128i a, b, c, d;

    for (; n >= 64; s += 64, n -= 64) {
        __asm__ volatile("movdqa (%4), %0\n\tmovdqa 16(%4), %1\n\tmovdqa 32(%4), %2\n\tmovdqa 48(%4), %3"
                         : "=x"(a), "=x"(b), "=x"(c), "=x"(d) : "r"(s) : "memory");
    }
    for (; n != 0; s += 16, n -= 16) {
        __asm__ volatile("movdqa (%1), %0" : "=x"(a) : "r"(s) : "memory");
    }
}

static unsigned long
long_run(void *arg, int column, unsigned long times)
{
    const struct memchr_call *const call = arg;

    if (column < bench.columns - 1) return memchr_run(arg, column, times);
    for (; times != 0; times--) loads(call->s, call->n);
    return 0;
}

int
main(int argc, char **argv)
{
    static const struct {size_t n; const char *label;} sizes[] = {
        {64, "64 B"}, {256, "256 B"}, {1040, "1040 B"}, {65536, "64 KB"}, {1048576, "1 MB"},
    };
    char *const s = memchr_buffer(1048576);
    int match;

    bench_options(argc, argv, "", "memchr over 64 bytes to 1 MB, GB/s.\n");
    memchr_columns();
    bench.column[bench.columns++] = "loads";
    for (match = 1; match >= 0; match--) {
        bench_table(match ? "memchr, match last" : "memchr, no match", "GB/s");
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            const size_t n = sizes[i].n;
            struct memchr_call call = {s, n, match ? s + n - 1 : NULL};
            if (match) s[n - 1] = '\n';
            bench_row(sizes[i].label, (double)n, (double)n, long_run, &call);
            s[n - 1] = 'a';
        }
    }
    return bench_end();
}
