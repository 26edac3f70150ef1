#include <emmintrin.h>
#include <stddef.h>

/* in CRuby from its config.h */
#define NO_SANITIZE(san, x) __attribute__((no_sanitize(san))) x

/* License: Ruby's */
/*
 * The CRT's memchr takes one byte a step, this one an aligned block of 16,
 * and after the first 65 to 128 bytes four of them, an aligned line of 64.
 *
 * It must answer as if it read byte by byte and stopped at the match
 * (C11 7.24.5.1): n may go beyond the object, s + n may wrap.  So a line is
 * loaded only after every byte before it was compared and n was not reached,
 * and n is only ever compared with an offset.  Such a line holds a byte of
 * the object, so all of it is mapped; its other bytes, before s or after the
 * end, may be anything, which AddressSanitizer cannot know.
 */
#define EQUAL(at) _mm_cmpeq_epi8(*(const __m128i *)(at), needle)
NO_SANITIZE("address", extern void *rb_w32_memchr(const void *, int, size_t));
void *
rb_w32_memchr(const void *s, int c, size_t n)
{
    const char *p = s, *line;
    const __m128i needle = _mm_set1_epi8((char)c);
    const int head = (int)((size_t)s & 15);     /* bytes of the block before s */
    const size_t first = 128 - ((size_t)s & 63);        /* offset of a line */
    size_t stop = n < first ? n : first, lines; /* where blocks end */
    ptrdiff_t i = -head;                        /* p + i is the block */
    int mask;                                   /* a bit for each equal byte */

    if (n == 0) return NULL;
    mask = _mm_movemask_epi8(EQUAL(p + i)) & (0xffff << head);
    while (mask == 0) {
        i += 16;
        if ((size_t)i >= stop) {
            if (stop == n) return NULL;
            line = p + i;
            for (lines = (n - stop - 1) / 64 + 1; lines != 0; lines--) {
                __m128i ab = _mm_or_si128(EQUAL(line), EQUAL(line + 16));
                __m128i cd = _mm_or_si128(EQUAL(line + 32), EQUAL(line + 48));
                if (_mm_movemask_epi8(_mm_or_si128(ab, cd)) != 0) break;
                line += 64;
            }
            if (lines == 0) return NULL;
            i = line - p;       /* the match is in one of four blocks */
            stop = n;
        }
        mask = _mm_movemask_epi8(EQUAL(p + i));
    }
    i += __builtin_ctz((unsigned int)mask);
    return (size_t)i < n ? (void *)(p + i) : NULL;
}
#undef EQUAL
