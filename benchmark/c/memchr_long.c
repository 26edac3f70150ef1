/* memchr over 64 bytes to 1 MB: GB/s. */
#include "memchr_bench.h"

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
    for (match = 1; match >= 0; match--) {
        bench_table(match ? "memchr, match last" : "memchr, no match", "GB/s");
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            const size_t n = sizes[i].n;
            struct memchr_call call = {s, n, match ? s + n - 1 : NULL};
            if (match) s[n - 1] = '\n';
            bench_row(sizes[i].label, (double)n, (double)n, memchr_run, &call);
            s[n - 1] = 'a';
        }
    }
    return bench_end();
}
