/*
 * strlen by length: ns a call and bytes a clock, from which length on each
 * function is never slower than the byte loop, and whether an override of this
 * C library's would pay.
 */
#include "bench.h"
#include "candidates.h"

#include <math.h>

#define LONGEST 256
#define ALIGNS 16

static char *string[ALIGNS];    /* one at each alignment, all of one length */

static unsigned long
strlen_run(void *arg, int column, unsigned long times)
{
    strlen_fn *const fn = strlen_candidates[column].fn;
    const size_t length = *(const size_t *)arg;
    unsigned long wrong = 0;

    for (; times != 0; times -= 4) {
        wrong += fn(string[times % ALIGNS]) != length;
        wrong += fn(string[(times + 5) % ALIGNS]) != length;
        wrong += fn(string[(times + 10) % ALIGNS]) != length;
        wrong += fn(string[(times + 15) % ALIGNS]) != length;
    }
    return wrong;
}

int
main(int argc, char **argv)
{
    static double ns[LONGEST + 1][BENCH_COLUMNS];
    const char *library =
#ifdef _WIN32
        "this C runtime";
#else
        "this C library";
#endif
    int ours = 0, libc = 0;
    size_t length;

    bench_options(argc, argv, "", "strlen of 0 to 256 bytes, ns a call and bytes a clock.\n");
    for (int j = 0; strlen_candidates[j].name; j++) {
        bench.column[bench.columns++] = strlen_candidates[j].name;
        if (!strcmp(strlen_candidates[j].name, "sse2")) ours = j;
        if (!strcmp(strlen_candidates[j].name, "libc")) libc = j;
    }
    for (int a = 0; a < ALIGNS; a++) {
        char *p = malloc(LONGEST + 128);
        if (!p) {
            perror("no memory");
            return 1;
        }
        string[a] = p + (64 + a - (ptrdiff_t)((size_t)p % 64)) % 64;
    }

    bench_table("strlen, 16 strings at 16 alignments", "ns a call");
    for (length = 0; length <= LONGEST; length++) {
        char label[32];
        for (int a = 0; a < ALIGNS; a++) {
            memset(string[a], 'a', length);
            string[a][length] = '\0';
        }
        snprintf(label, sizeof(label), "length %d", (int)length);
        bench_row(label, (double)length, 0, strlen_run, &length);
        for (int j = 0; j < bench.columns; j++) ns[length][j] = bench.cell[j].best;
    }

    const double clocks = bench_clocks_a_ns();

    /* What a byte more costs, call and set-up aside. */
    printf("\n%-24s", "bytes a clock, 64..256");
    for (int j = 0; j < bench.columns; j++) printf(" %13.2f", 192 / ((ns[LONGEST][j] - ns[64][j]) * clocks));
    printf("\n%-24s", "set-up, clocks");
    for (int j = 0; j < bench.columns; j++) printf(" %13.1f", ns[0][j] * clocks);
    printf("\n%-24s", "even with bytes from");
    for (int j = 0; j < bench.columns; j++) {
        /* 3 %: two of the same function differ by that */
        for (length = LONGEST + 1; length > 0 && ns[length - 1][j] <= 1.03 * ns[length - 1][0]; length--) ;
        if (length > LONGEST) printf(" %13s", "never");
        else printf(" %13d", (int)length);
    }
    printf("\n(%.2f clocks a ns)\n", clocks);

    /* Worth it: half as fast again where strings are, no length a ns slower. */
    double logs = 0, loss = 0;
    for (length = 1; length <= 64; length++) {
        logs += log(ns[length][libc] / ns[length][ours]);
        if (ns[length][ours] - ns[length][libc] > loss) loss = ns[length][ours] - ns[length][libc];
    }
    const double gain = exp(logs / 64);
    if (bench.json) {
        fprintf(bench.json, "\n]},\n{\"table\": \"strlen, an override\", \"unit\": \"ratio\", \"rows\": [\n"
                "  {\"row\": \"sse2 against libc, 1..64\", \"n\": 0, \"cells\": {}, \"clocks_a_ns\": %.4g, \"gain\": %.4g, \"loss_ns\": %.4g}",
                clocks, gain, loss);
    }
    bench_end();
    printf("An override of strlen would %s on %s: sse2 is %.2f times as fast as it over 1..64 bytes, at worst %.2f ns slower.\n",
           gain >= 1.5 && loss < 1 ? "pay" : "not pay", library, gain, loss);
    return 0;
}
