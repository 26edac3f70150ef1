/*
 * memchr where it is short or soon done: ns a call.  One length over and over,
 * which a processor learns by heart, and the lines of real text, which it does
 * not: in their order to the end of the text, as IO#gets and String#each_line
 * ask, and in an order that is new in every round.
 */
#include "memchr_bench.h"

#include <stdint.h>

#define OFFSET 7                /* "unaligned": so far behind an aligned address */

static void
seven_cases(char *s)
{
    static const struct {const char *label; size_t n; int at;} cases[] = {
        {"n=1, match", 1, 0},
        {"n=7, match last", 7, 6},
        {"n=15, match last", 15, 14},
        {"n=1040, match at 0", 1040, 0},
        {"n=16, no match", 16, -1},
        {"n=64, no match", 64, -1},
        {"n=1040, no match", 1040, -1},
    };

    bench_table("memchr, short and early", "ns a call");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int at = cases[i].at;
        struct memchr_call call = {s, cases[i].n, at < 0 ? NULL : s + at};
        if (at >= 0) s[at] = '\n';
        bench_row(cases[i].label, (double)call.n, 0, memchr_run, &call);
        if (at >= 0) s[at] = 'a';
    }
}

static void
every_n(char *s, int match, const char *title)
{
    bench_table(title, "ns a call");
    for (size_t n = 1; n <= 64; n++) {
        struct memchr_call call = {s, n, match ? s + n - 1 : NULL};
        char label[32];
        snprintf(label, sizeof(label), "n=%d", (int)n);
        if (match) s[n - 1] = '\n';
        bench_row(label, (double)n, 0, memchr_run, &call);
        s[n - 1] = 'a';
    }
}

struct text {
    char *s;
    size_t size, lines, next;
    struct {uint32_t at, n;} *line;     /* n counts the newline */
    unsigned long long random;
};

static struct text
read_text(const char *file)
{
    struct text t = {.random = 22463};
    FILE *f = fopen(file, "rb");
    long size;

    if (!f || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0 ||
        !(t.s = malloc((size_t)size + 1)) || fread(t.s, 1, (size_t)size, f) != (size_t)size) {
        perror(file);
        exit(1);
    }
    fclose(f);
    t.size = (size_t)size;
    while (t.size > 0 && t.s[t.size - 1] != '\n') t.size--;
    t.line = malloc((t.size + 1) * sizeof(t.line[0]));
    if (!t.line || t.size == 0 || t.size > UINT32_MAX) {
        fprintf(stderr, "%s: no lines, or too many\n", file);
        exit(1);
    }
    for (size_t at = 0, i = 0; i < t.size; i++) {
        if (t.s[i] != '\n') continue;
        t.line[t.lines].at = (uint32_t)at;
        t.line[t.lines++].n = (uint32_t)(i + 1 - at);
        at = i + 1;
    }
    return t;
}

static void
shuffle(struct text *t)
{
    for (size_t i = t->lines - 1; i > 0; i--) {
        t->random = t->random * 6364136223846793005u + 1442695040888963407u;
        const size_t j = (size_t)(t->random >> 33) % (i + 1);
        const __typeof__(t->line[0]) line = t->line[i];
        t->line[i] = t->line[j];
        t->line[j] = line;
    }
    t->next = 0;
}

/* The next line of the text, around and around. */
static size_t
next_line(struct text *t)
{
    const size_t i = t->next;

    t->next = i + 1 < t->lines ? i + 1 : 0;
    return i;
}

static unsigned long
to_the_end(void *arg, int column, unsigned long times)
{
    memchr_fn *const fn = memchr_candidates[column].fn;
    struct text *const t = arg;
    unsigned long wrong = 0;

    while (times-- != 0) {
        const size_t i = next_line(t);
        const char *const s = t->s + t->line[i].at;
        wrong += fn(s, '\n', t->size - t->line[i].at) != s + t->line[i].n - 1;
    }
    return wrong;
}

static unsigned long
match_last(void *arg, int column, unsigned long times)
{
    memchr_fn *const fn = memchr_candidates[column].fn;
    struct text *const t = arg;
    unsigned long wrong = 0;

    while (times-- != 0) {
        const size_t i = next_line(t);
        const char *const s = t->s + t->line[i].at;
        wrong += fn(s, '\n', t->line[i].n) != s + t->line[i].n - 1;
    }
    return wrong;
}

static unsigned long
no_match(void *arg, int column, unsigned long times)
{
    memchr_fn *const fn = memchr_candidates[column].fn;
    struct text *const t = arg;
    unsigned long wrong = 0;

    while (times-- != 0) {
        const size_t i = next_line(t);
        wrong += fn(t->s + t->line[i].at, '\n', t->line[i].n - 1) != NULL;
    }
    return wrong;
}

/* Each sample goes on in the text where the one before it stopped. */
static void
real_text(const char *file)
{
    struct text t = read_text(file);
    const char *base = file + strlen(file);
    char title[128], name[64];

    while (base > file && base[-1] != '/' && base[-1] != '\\') base--;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);
    snprintf(title, sizeof(title), "memchr, the lines of %s (%d, mean %.1f bytes)", name, (int)t.lines,
             (double)t.size / (double)t.lines);
    bench_table(title, "ns a call");
    bench_row("in order, n to the end", 0, 0, to_the_end, &t);
    shuffle(&t);
    bench_row("shuffled, n to the end", 0, 0, to_the_end, &t);
    bench_row("shuffled, match last", 0, 0, match_last, &t);
    bench_row("shuffled, no match", 0, 0, no_match, &t);
    free(t.line);
    free(t.s);
}

int
main(int argc, char **argv)
{
    char *const s = memchr_buffer(2048);
    const int texts = bench_options(argc, argv, " [TEXT...]",
                                    "memchr where it is short or soon done, ns a call, also over the lines of each TEXT.\n");

    memchr_columns();
    seven_cases(s);
    every_n(s, 1, "memchr, match last, aligned");
    every_n(s + OFFSET, 1, "memchr, match last, unaligned");
    every_n(s, 0, "memchr, no match, aligned");
    every_n(s + OFFSET, 0, "memchr, no match, unaligned");
    for (int i = 1; i < texts; i++) real_text(argv[i]);
    return bench_end();
}
