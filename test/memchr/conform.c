/*
 * Does a memchr conform to C11 7.24.5.1, and does it keep off pages that it
 * has no business on?  Each case below calls it on memory between two guard
 * pages.  A candidate passes when it fails exactly the cases that the table
 * in benchmark/c/candidates.c names for it (none, for most).
 */
#include "guard.h"
#include "../../benchmark/c/candidates.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#define WRONG 2

static unsigned char *first, *end;      /* the mapped bytes: first .. end-1 */
static unsigned long long calls, random_calls = 10000000, seed = 22463;
static unsigned int aligns = 64, lengths = 256;

/* The call under test, kept for the report. */
static memchr_fn *fn;
static volatile struct {
    const unsigned char *s;
    int c;
    size_t n;
    const void *expected, *got;
} call;

static void
check(const void *s, int c, size_t n, const void *expected)
{
    call.s = s;
    call.c = c;
    call.n = n;
    call.expected = expected;
    calls++;
    call.got = fn(s, c, n);
    if (call.got != expected) leave(WRONG);
}

/* The standard's own words: the first of n bytes that equals (unsigned char)c. */
static const void *
specified(const unsigned char *s, int c, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (s[i] == (unsigned char)c) return s + i;
    }
    return NULL;
}

static void
fill(int c)
{
    memset(first, c, GUARDED_SIZE);
}

/* n that is too large for an object at s in which a match is d bytes away. */
static void
check_beyond(const unsigned char *s, int c, size_t d)
{
    const size_t wraps_to_0 = -(size_t)s;
    size_t n;
    unsigned int bit;

    for (n = d + 1; n <= d + 80; n++) check(s, c, n, s + d);
    for (bit = 8; bit < 64; bit++) {
        n = (size_t)1 << bit;
        if (n - 1 > d) check(s, c, n - 1, s + d);
        if (n > d) check(s, c, n, s + d);
        if (n + 1 > d) check(s, c, n + 1, s + d);
    }
    /* what is near to 0 for one who takes n to have 32 bits */
    for (n = 0; n < 256; n++) check(s, c, ((size_t)1 << 38) + n, s + d);
    for (n = 0; n < 80; n++) {
        check(s, c, SIZE_MAX - n, s + d);
        check(s, c, wraps_to_0 + n, s + d);
        check(s, c, wraps_to_0 - n, s + d);
    }
}

static void
absent_at_page_end(void)
{
    size_t n;

    fill('a');
    for (n = 0; n <= 300; n++) check(end - n, 'z', n, NULL);
}

static void
match_in_last_byte(void)
{
    size_t d;

    fill('a');
    end[-1] = 'z';
    for (d = 0; d < 300; d++) check_beyond(end - 1 - d, 'z', d);
}

static void
nothing_to_read(void)
{
    size_t i;

    fill('z');
    check(NULL, 'z', 0, NULL);
    for (i = 0; i < 64; i++) {
        check(end + i, 'z', 0, NULL);
        check(end - i, 'z', 0, NULL);
        check(first - i, 'z', 0, NULL);
        check(first + i, 'z', 0, NULL);
        check((void *)(uintptr_t)i, 'z', 0, NULL);
        check((void *)(UINTPTR_MAX - i), 'z', 0, NULL);
    }
}

/* The match is far from the guard page, or near to it. */
static void
end_that_wraps(void)
{
    size_t align, d;

    for (align = 0; align < 64; align++) {
        unsigned char *s = first + align;
        fill('a');
        for (d = 0; d < 200; d++) {
            s[d] = 'z';
            check(s, 'z', SIZE_MAX, s + d);
            check(s, 'z', -(size_t)s, s + d);
            check(s, 'z', -(size_t)s + 1, s + d);
            check(s, 'z', -(size_t)s + d + 1, s + d);
            s[d] = 'a';
        }
        end[-1 - (ptrdiff_t)align] = 'z';
        for (d = 0; d < 200; d++) check(end - 1 - align - d, 'z', SIZE_MAX, end - 1 - align);
    }
}

static void
match_after_end(void)
{
    size_t n, after;

    for (after = 1; after <= 64; after++) {
        fill('a');
        memset(end - after, 'z', after);
        for (n = 1; n <= 128; n++) check(end - after - n, 'z', n, NULL);
    }
}

static void
needle_out_of_range(void)
{
    size_t i;
    int c;

    for (i = 0; i < 512; i++) first[i] = (unsigned char)i;
    for (c = -300; c < 600; c++) {
        const unsigned char *s = first + (unsigned char)c;
        check(first, c, 256, s);
        check(first, c, 512, s);
        check(s + 1, c, 255, NULL);
        check(s + 1, c, 256, s + 256);
    }
    for (c = 0; c < 256; c++) {
        check(first, INT_MIN + c, 256, first + c);
        check(first, INT_MAX - 255 + c, 256, first + c);
    }
}

/* At every alignment, in every length: a match at every place, and none;
 * with matches right before s and right after s + n, that do not count. */
static void
every_length(void)
{
    static const struct {unsigned char c, other;} bytes[] = {
        {'\n', '\v'}, {0, 0x80}, {0xff, 0x7f}, {0x80, 0x81},
    };
    size_t b, align, n, i;

    for (b = 0; b < sizeof(bytes) / sizeof(bytes[0]); b++) {
        const unsigned char c = bytes[b].c, other = bytes[b].other;
        fill(c);
        for (align = 0; align < aligns; align++) {
            for (n = 0; n <= lengths; n++) {
                unsigned char *s = first + align;
                memset(first, c, align + n + 64);
                memset(s, other, n);
                check(s, c, n, NULL);
                for (i = 0; i < n; i++) {
                    s[i] = c;
                    check(s, c, n, s + i);
                    s[i] = other;
                }
            }
        }
    }
}

/* The same against the end of the page. */
static void
every_length_at_page_end(void)
{
    size_t n, i;

    for (n = 0; n <= lengths; n++) {
        unsigned char *s = end - n;
        fill('z');
        memset(s, 'a', n);
        check(s, 'z', n, NULL);
        for (i = 0; i < n; i++) {
            s[i] = 'z';
            check(s, 'z', n, s + i);
            s[i] = 'a';
        }
    }
}

/* Matches that are far away, up to the whole mapping. */
static void
far_match(void)
{
    size_t d, align;

    fill('a');
    for (align = 0; align < 64; align += 7) {
        unsigned char *s = first + align;
        for (d = 1; d < GUARDED_SIZE - align; d += d / 16 + 1) {
            s[d] = 'z';
            check(s, 'z', d, NULL);
            check(s, 'z', d + 1, s + d);
            check(s, 'z', GUARDED_SIZE - align, s + d);
            check(s, 'z', SIZE_MAX, s + d);
            s[d] = 'a';
        }
    }
}

/* Distances that do not fit in an int, or in 32 bits: only with -H. */
static unsigned char *huge;

static void
huge_match(void)
{
    static const size_t distances[] = {(size_t)1 << 31, ((size_t)1 << 32) + 100};
    size_t i;

    for (i = 0; huge && i < 2; i++) {
        huge[distances[i]] = 'z';
        check(huge, 'z', distances[i], NULL);
        check(huge, 'z', HUGE_SIZE, huge + distances[i]);
        huge[distances[i]] = 0;
    }
}

/* Every needle among all other bytes. */
static void
every_needle(void)
{
    size_t i, align;
    int c;

    for (c = 0; c < 256; c++) {
        for (i = 0; i < 600; i++) {
            first[i] = (unsigned char)(i % 255 + (i % 255 >= (size_t)c));
        }
        for (align = 0; align < 16; align++) {
            unsigned char *s = first + align;
            check(s, c, 512, NULL);
            for (i = 0; i < 40; i++) {
                unsigned char saved = s[i];
                s[i] = (unsigned char)c;
                check(s, c, 512, s + i);
                s[i] = saved;
            }
        }
    }
}

static void
two_matches(void)
{
    size_t align, i, j;

    fill('a');
    for (align = 0; align < aligns; align++) {
        unsigned char *s = first + align;
        for (i = 0; i < 100; i++) {
            s[i] = 'z';
            for (j = i + 1; j < 130; j++) {
                s[j] = 'z';
                check(s, 'z', 130, s + i);
                check(s + i + 1, 'z', 129 - i, s + j);
                s[j] = 'a';
            }
            s[i] = 'a';
        }
    }
}

static unsigned long long
random_bits(void)
{
    static unsigned long long x;

    if (x == 0) x = seed | 1;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

/* Haystacks of a few values up to the page's end; sometimes n goes beyond. */
static void
random_haystacks(void)
{
    unsigned char *const base = end - 512;
    unsigned long long k, i;

    for (i = 0; i < 512; i++) base[i] = (unsigned char)(random_bits() >> 32);
    for (k = 0; k < random_calls; k++) {
        const unsigned long long r = random_bits(), v = random_bits();
        const unsigned int d = (unsigned int)(r >> 8) % 512;
        const size_t left = (size_t)(end - (base + d));
        const unsigned char *s = base + d, *expected;
        size_t n = (r >> 40) % 4 ? (size_t)(r >> 17) % (left < 80 ? left + 1 : 80) : (size_t)(r >> 17) % (left + 1);
        int c = (int)(v >> 32) % 600;

        if (v & 7) {
            /* most haystacks have many of the byte, or of the byte beside it */
            c = base[(v >> 8) % 512] ^ (int)((v >> 17) & 1);
        }
        base[(v >> 20) % 512] = (unsigned char)(r & 1 ? v >> 48 : (v >> 48) & 3);
        expected = specified(s, c, n);
        if (!expected && !(v & 0xf0000) && (expected = specified(s, c, left))) {
            n = v & 0x100000 ? SIZE_MAX : -(size_t)s + (size_t)(expected - s) + 1 + (v >> 57);
        }
        check(s, c, n, expected);
    }
}

static const struct {
    const char *name, *what;
    void (*run)(void);
} cases[] = {
    {"C01", "absent byte, n = 0..300, up to an unmapped page", absent_at_page_end},
    {"C02", "match in the last mapped byte, n up to SIZE_MAX", match_in_last_byte},
    {"C03", "n = 0, any pointer", nothing_to_read},
    {"C04", "n = SIZE_MAX, and s + n wraps, at every alignment", end_that_wraps},
    {"C05", "the byte right after s + n matches, near the page's end", match_after_end},
    {"C08", "c from -300 to 599, and at the ends of int", needle_out_of_range},
    {"lengths", "every alignment, length and place of the match", every_length},
    {"page-end", "every length and place of the match, up to an unmapped page", every_length_at_page_end},
    {"far", "a match up to 64 KB away", far_match},
    {"huge", "a match 2 and 4 GB away, with -H", huge_match},
    {"needles", "every needle among all other bytes", every_needle},
    {"two", "two matches: the first counts", two_matches},
    {"random", "random haystacks against a byte loop", random_haystacks},
};

static int
listed(const char *names, const char *name)
{
    const size_t length = strlen(name);
    const char *p = names;

    while ((p = strstr(p, name)) != NULL) {
        if ((p == names || p[-1] == ' ') && (p[length] == ' ' || !p[length])) return 1;
        p += length;
    }
    return 0;
}

static void
report(const char *candidate, const char *name, int outcome)
{
    const ptrdiff_t from_end = end - call.s;

    printf("%s: %s: %s: s %% 64 = %u, ", candidate, name,
           outcome == FAULT ? "fault" : "wrong answer", (unsigned int)((size_t)call.s % 64));
    if (from_end >= 0 && from_end <= GUARDED_SIZE) printf("%u bytes mapped from s, ", (unsigned int)from_end);
    printf("c = %d, n = %llu: expected ", call.c, (unsigned long long)call.n);
    if (call.expected) printf("s + %lld", (long long)((const unsigned char *)call.expected - call.s));
    else printf("NULL");
    if (outcome == WRONG && call.got) printf(", not s + %lld", (long long)((const unsigned char *)call.got - call.s));
    if (outcome == WRONG && !call.got) printf(", not NULL");
    printf("\n");
}

/* The number of cases that did not come out as the table says. */
static int
conform(const struct memchr_candidate *candidate)
{
    int surprises = 0;
    size_t i;

    fn = candidate->fn;
    calls = 0;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int expected_to_fail = listed(candidate->fails, cases[i].name);
        const int outcome = TRY(cases[i].run);
        if (outcome) report(candidate->name, cases[i].name, outcome);
        if (!outcome && expected_to_fail) {
            printf("%s: %s: passed, though the table says that it fails\n", candidate->name, cases[i].name);
        }
        if (!outcome != !expected_to_fail) surprises++;
    }
    printf("%s: %llu calls, %s\n", candidate->name, calls,
           surprises ? "NOT as the table says" : *candidate->fails ? "fails what the table says" : "conforms");
    fflush(stdout);
    return surprises;
}

static int
usage(void)
{
    const struct memchr_candidate *candidate;
    size_t i;

    fprintf(stderr,
            "usage: conform [-q] [-H] [-n CALLS] [-s SEED] [CANDIDATE...]\n"
            "  -q  shorter: alignments 0..15, lengths 0..80, 100000 random haystacks\n"
            "  -H  with matches 2 and 4 GB away, in memory that is only reserved\n"
            "  -n  random haystacks (%llu)\n"
            "  -s  seed of the random haystacks (%llu)\n"
            "Candidates (all, unless named):\n", random_calls, seed);
    for (candidate = memchr_candidates; candidate->name; candidate++) {
        fprintf(stderr, "  %-14s %s%s%s\n", candidate->name, candidate->what,
                *candidate->fails ? "; fails " : "", candidate->fails);
    }
    fprintf(stderr, "Cases:\n");
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fprintf(stderr, "  %-14s %s\n", cases[i].name, cases[i].what);
    }
    return 2;
}

int
main(int argc, char **argv)
{
    const struct memchr_candidate *candidate;
    int i, named, surprises = 0, found = 0;

    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "-q")) {
            aligns = 16;
            lengths = 80;
            random_calls = 100000;
        }
        else if (!strcmp(argv[i], "-H")) huge = huge_memory();
        else if (!strcmp(argv[i], "-n") && i + 1 < argc) random_calls = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc) seed = strtoull(argv[++i], NULL, 10);
        else return usage();
    }
    first = guarded();
    end = first + GUARDED_SIZE;
    for (candidate = memchr_candidates; candidate->name; candidate++) {
        for (named = i; named < argc && strcmp(argv[named], candidate->name); named++) ;
        if (i < argc && named == argc) continue;
        found++;
        surprises += conform(candidate);
    }
    if (!found || (i < argc && found != argc - i)) return usage();
    return surprises != 0;
}
