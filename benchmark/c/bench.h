/*
 * The harness of the micro-benchmarks: each row compares some columns in
 * interleaved rounds, a sample of each column a round, and keeps the best, the
 * median and the worst sample.  What every call returns is checked; a wrong
 * answer ends the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
# define WIN32_LEAN_AND_MEAN
# include <windows.h>

static double
bench_ns(void)
{
    static LARGE_INTEGER frequency;
    LARGE_INTEGER t;

    if (!frequency.QuadPart) QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&t);
    return (double)t.QuadPart * 1e9 / (double)frequency.QuadPart;
}
#else
# include <time.h>

static double
bench_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
#endif

/*
 * Does `times` calls (a multiple of four) of a column's function and returns
 * how many answers were wrong, or BENCH_ABSENT where there is no such function.
 */
typedef unsigned long bench_run(void *arg, int column, unsigned long times);
#define BENCH_ABSENT ((unsigned long)-1)

#define BENCH_COLUMNS 16
#define BENCH_ROUNDS 101

struct bench_cell {
    double best, median, worst;     /* ns a call; all negative: absent */
};

static struct {
    int quick;
    const char *json_file;
    FILE *json;
    int rounds;
    double sample_ns;
    int columns;
    const char *column[BENCH_COLUMNS];
    int rows;
    const char *unit;
    struct bench_cell cell[BENCH_COLUMNS];  /* of the last row */
} bench;

/* Takes the common options out of argv; what is left is the program's own. */
static int
bench_options(int argc, char **argv, const char *own, const char *help)
{
    int i, left = 1;

    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) bench.quick = 1;
        else if (!strcmp(argv[i], "--json") && i + 1 < argc) bench.json_file = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1]) {
            fprintf(stderr, "usage: %s [--quick] [--json FILE]%s\n%s", argv[0], own, help);
            exit(strcmp(argv[i], "--help") ? 2 : 0);
        }
        else argv[left++] = argv[i];
    }
    bench.rounds = bench.quick ? 9 : BENCH_ROUNDS;
    bench.sample_ns = bench.quick ? 30e3 : 60e3;
    if (bench.json_file) {
        bench.json = fopen(bench.json_file, "w");
        if (!bench.json) {
            perror(bench.json_file);
            exit(1);
        }
        fprintf(bench.json, "[");
    }
    return left;
}

/* A string of JSON, which names of libraries can be: C:\Windows has a \W. */
static void
bench_json_string(const char *s)
{
    fputc('"', bench.json);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') fputc('\\', bench.json);
        if ((unsigned char)*s < ' ') fprintf(bench.json, "\\u%04x", *s);
        else fputc(*s, bench.json);
    }
    fputc('"', bench.json);
}

/* A new table; its columns are bench.column[0 .. columns-1]. */
static void
bench_table(const char *title, const char *unit)
{
    int j;

    if (bench.json) {
        fprintf(bench.json, "%s\n{\"table\": ", bench.unit ? "\n]}," : "");
        bench_json_string(title);
        fprintf(bench.json, ", \"unit\": \"%s\", \"rows\": [", unit);
    }
    bench.unit = unit;
    bench.rows = 0;
    printf("\n%s, %s\n%24s", title, unit, "");
    for (j = 0; j < bench.columns; j++) printf(" %13s", bench.column[j]);
    printf("   spread\n");
}

static int
bench_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
bench_sample(bench_run *run, void *arg, int column, unsigned long times)
{
    const double start = bench_ns();
    const unsigned long wrong = run(arg, column, times);
    const double end = bench_ns();

    if (wrong == BENCH_ABSENT) return -1;
    if (wrong) {
        fprintf(stderr, "%s: %lu of %lu answers are wrong\n", bench.column[column], wrong, times);
        exit(1);
    }
    return (end - start) / (double)times;
}

/* Measures one row into bench.cell[], with so many calls a sample, or with
 * samples of about bench.sample_ns. */
static void
bench_calls(bench_run *run, void *arg, unsigned long calls)
{
    static double samples[BENCH_COLUMNS][BENCH_ROUNDS];
    unsigned long times[BENCH_COLUMNS];
    int j, k, r;

    for (j = 0; j < bench.columns; j++) {
        /* so many calls that the clock can see them; the best of three, as
         * a time that is too long would make all samples too short */
        double ns = 0, best;
        for (times[j] = 4; ns >= 0 && ns * (double)times[j] < 2000; times[j] *= 4) ns = bench_sample(run, arg, j, times[j]);
        for (k = 0, best = ns; ns >= 0 && k < 3; k++) {
            ns = bench_sample(run, arg, j, times[j]);
            if (ns < best) best = ns;
        }
        if (ns < 0) times[j] = 0;
        else times[j] = (calls ? calls : (unsigned long)(bench.sample_ns / best)) / 4 * 4 + 4;
    }
    for (r = 0; r < bench.rounds; r++) {
        for (k = 0; k < bench.columns; k++) {
            j = (r + k) % bench.columns;
            samples[j][r] = times[j] ? bench_sample(run, arg, j, times[j]) : -1;
        }
    }
    for (j = 0; j < bench.columns; j++) {
        qsort(samples[j], (size_t)bench.rounds, sizeof(double), bench_compare_doubles);
        bench.cell[j].best = samples[j][0];
        bench.cell[j].median = samples[j][bench.rounds / 2];
        bench.cell[j].worst = samples[j][bench.rounds - 1];
    }
}

/* Prints the row that was measured: in GB/s where a call takes bytes > 0. */
static void
bench_print(const char *label, double n, double bytes)
{
    double spread = 0;
    int j;

    printf("%-24s", label);
    if (bench.json) {
        fprintf(bench.json, "%s\n  {\"row\": ", bench.rows ? "," : "");
        bench_json_string(label);
        fprintf(bench.json, ", \"n\": %g, \"cells\": {", n);
    }
    for (j = 0; j < bench.columns; j++) {
        const struct bench_cell *c = &bench.cell[j];
        if (bench.json) {
            fprintf(bench.json, "%s\n    ", j ? "," : "");
            bench_json_string(bench.column[j]);
            fprintf(bench.json, ": ");
        }
        if (c->best < 0) {
            printf(" %13s", "-");
            if (bench.json) fprintf(bench.json, "null");
            continue;
        }
        printf(" %13.2f", bytes > 0 ? bytes / c->best : c->best);
        if (bench.json) {
            fprintf(bench.json, "{\"best\": %.4g, \"median\": %.4g, \"worst\": %.4g}",
                    bytes > 0 ? bytes / c->best : c->best, bytes > 0 ? bytes / c->median : c->median,
                    bytes > 0 ? bytes / c->worst : c->worst);
        }
        if (c->median / c->best - 1 > spread) spread = c->median / c->best - 1;
    }
    printf("   %4.0f %%\n", spread * 100);
    fflush(stdout);
    if (bench.json) fprintf(bench.json, "}}");
    bench.rows++;
}

static __attribute__((unused)) void
bench_row(const char *label, double n, double bytes, bench_run *run, void *arg)
{
    bench_calls(run, arg, 0);
    bench_print(label, n, bytes);
}

/* Multiplications that wait for one another: three clocks each on all x86-64
 * of this century.  The most of several tries: others may run beside us. */
static __attribute__((unused)) double
bench_clocks_a_ns(void)
{
    static double most;
    const unsigned long times = 100000;

    for (int r = 0; r < 50; r++) {
        unsigned long long x = 3;
        const double start = bench_ns();
        for (unsigned long i = 0; i < times; i++) {
            __asm__ volatile("imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0" : "+r"(x));
        }
        const double clocks = 12.0 * (double)times / (bench_ns() - start);
        if (clocks > most) most = clocks;
    }
    return most;
}

static int
bench_end(void)
{
    printf("\nBest of %d interleaved rounds; spread: how far the worst of the row's medians is off its best.\n",
           bench.rounds);
    if (!bench.json) return 0;
    fprintf(bench.json, "%s\n", bench.unit ? "\n]}\n]" : "]");
    if (fclose(bench.json) == 0) return 0;
    perror(bench.json_file);
    return 1;
}
