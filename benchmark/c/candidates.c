/*
 * The functions that the benchmarks compare and test/memchr/conform.c tests.
 *
 * Every one is called through the tables at the end, from other files, so no
 * compiler sees a call that it could inline or do without.  STEP() keeps a
 * byte loop a byte loop: compilers know idioms for both functions, and some
 * would vectorise them.
 */
#include "candidates.h"

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

#define STEP(p) __asm__ volatile("" : "+r"(p))

#ifndef MEMCHR_C                /* the mutation test puts its own here, */
# define MEMCHR_C "../../win32/memchr.c"
#endif
#ifndef UNROLLED_C              /* or here */
# define UNROLLED_C "../../win32/memchr_unrolled.c"
#endif
#include MEMCHR_C

#define rb_w32_memchr rb_w32_memchr_unrolled
#include UNROLLED_C
#undef rb_w32_memchr

static inline void *
bytes(const unsigned char *p, int c, size_t n)
{
    const unsigned char *match = NULL;

    for (; n != 0; n--, p++) {
        STEP(p);
        if (*p == (unsigned char)c) {
            match = p;
            break;
        }
    }
    return (void *)match;
}

void *
memchr_bytes(const void *s, int c, size_t n)
{
    return bytes(s, c, n);
}

/* SWAR: a byte of x is zero where this has its highest bit set; the lowest
 * such bit is right, those above it may not be. */
#define ONES ((uint64_t)-1 / 255)
#define ZERO_BYTE(x) (((x) - ONES) & ~(x) & (ONES << 7))
#define FIRST_BYTE(zero) (__builtin_ctzll(zero) / 8)

typedef uint64_t __attribute__((may_alias)) word;
typedef uint64_t __attribute__((may_alias, aligned(1))) unaligned_word;

/* Eight unaligned bytes while n allows, then bytes. */
void *
memchr_swar(const void *s, int c, size_t n)
{
    const unsigned char *p = s;
    const uint64_t needle = ONES * (unsigned char)c;

    for (; n >= 8; n -= 8, p += 8) {
        uint64_t x = *(const unaligned_word *)p ^ needle;
        uint64_t zero = ZERO_BYTE(x);
        if (zero) return (void *)(p + FIRST_BYTE(zero));
    }
    return bytes(p, c, n);
}

/* Bytes up to an aligned word, words while n allows, bytes in the last one. */
void *
memchr_musl(const void *s, int c, size_t n)
{
    const unsigned char *p = s;
    const uint64_t needle = ONES * (unsigned char)c;

    for (; (uintptr_t)p % 8 != 0; n--, p++) {
        if (n == 0) return NULL;
        if (*p == (unsigned char)c) return (void *)p;
    }
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t x = *(const word *)p ^ needle;
        if (ZERO_BYTE(x)) break;
    }
    return bytes(p, c, n);
}

/* Sixteen unaligned bytes while n allows, then bytes. */
void *
memchr_sse2(const void *s, int c, size_t n)
{
    const unsigned char *p = s;
    const __m128i needle = _mm_set1_epi8((char)c);

    for (; n >= 16; n -= 16, p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)p);
        int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(x, needle));
        if (mask) return (void *)(p + __builtin_ctz((unsigned int)mask));
    }
    return bytes(p, c, n);
}

size_t
strlen_bytes(const char *s)
{
    const char *p = s;

    for (; *p; p++) STEP(p);
    return (size_t)(p - s);
}

size_t
strlen_unrolled(const char *s)
{
    const char *p = s;

    for (;; p += 2) {
        STEP(p);
        if (!p[0]) return (size_t)(p - s);
        if (!p[1]) return (size_t)(p - s) + 1;
    }
}

/* Aligned words; the bytes before s are made non-zero. */
size_t
strlen_words(const char *s)
{
    const unsigned int head = (uintptr_t)s % 8;
    const char *p = s - head;
    uint64_t x = *(const word *)p | (((uint64_t)1 << 8 * head) - 1);
    uint64_t zero;

    while (zero = ZERO_BYTE(x), !zero) {
        p += 8;
        x = *(const word *)p;
    }
    return (size_t)(p - s) + (size_t)FIRST_BYTE(zero);
}

size_t
strlen_scasb(const char *s)
{
    size_t left = SIZE_MAX;

    __asm__ volatile("repne scasb" : "+D"(s), "+c"(left) : "a"(0) : "memory", "cc");
    return SIZE_MAX - left - 1;
}

/* Aligned blocks, as rb_w32_memchr. */
size_t
strlen_sse2(const char *s)
{
    const unsigned int head = (uintptr_t)s % 16;
    const __m128i *p = (const __m128i *)(s - head);
    const __m128i zero = _mm_setzero_si128();
    int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(*p, zero)) & 0xffff << head;

    while (mask == 0) mask = _mm_movemask_epi8(_mm_cmpeq_epi8(*++p, zero));
    return (size_t)((const char *)p - s) + (size_t)__builtin_ctz((unsigned int)mask);
}

const struct memchr_candidate memchr_candidates[] = {
    {"bytes", memchr_bytes, "one byte a step", ""},
    {"swar", memchr_swar, "8 unaligned bytes a step, then bytes", "C02 C04 random"},
    {"musl", memchr_musl, "bytes, aligned words, bytes", ""},
    {"sse2", memchr_sse2, "16 unaligned bytes a step, then bytes", "C02 C04 random"},
    {"rb_w32_memchr", rb_w32_memchr, "an aligned block of 16 bytes a step", ""},
    {"unrolled", rb_w32_memchr_unrolled, "the same, from 64 bytes on four blocks a step", ""},
    {"libc", memchr, "the memchr of the C library", ""},
    {NULL, NULL, NULL, NULL},
};

const struct strlen_candidate strlen_candidates[] = {
    {"bytes", strlen_bytes, "one byte a step"},
    {"unrolled", strlen_unrolled, "two bytes a step"},
    {"words", strlen_words, "an aligned word a step"},
    {"scasb", strlen_scasb, "repne scasb"},
    {"sse2", strlen_sse2, "an aligned block of 16 bytes a step"},
    {"libc", strlen, "the strlen of the C library"},
    {NULL, NULL, NULL},
};
