#include <emmintrin.h>
#include <stddef.h>

/* in CRuby from its config.h */
#define NO_SANITIZE(san, x) __attribute__((no_sanitize(san))) x

/* License: Ruby's */
/*
 * The CRT's memchr takes one byte a step, this one an aligned block of 16.
 *
 * It must answer as if it read byte by byte and stopped at the match
 * (C11 7.24.5.1): n may go beyond the object, s + n may wrap.  So a block is
 * loaded only after every byte before it was compared and n was not reached,
 * and n is only ever compared with an offset.  Such a block holds a byte of
 * the object, so all of it is mapped; its other bytes, before s or after the
 * end, may be anything, which AddressSanitizer cannot know.
 */
NO_SANITIZE("address", extern void *rb_w32_memchr(const void *, int, size_t));
void *
rb_w32_memchr(const void *s, int c, size_t n)
{
    const char *p = s;
    const __m128i needle = _mm_set1_epi8((char)c);
    const size_t head = (size_t)s & 15; /* bytes of the first block before s */
    unsigned int mask;                  /* a bit for each equal byte */
    size_t i;

    if (n == 0) return NULL;
    mask = (unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(*(const __m128i *)(p - head), needle));
    mask >>= head;
    if (mask != 0) {
        i = (unsigned int)__builtin_ctz(mask);
        return i < n ? (void *)(p + i) : NULL;
    }
    for (i = 16 - head; i < n; i += 16) {
        mask = (unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(*(const __m128i *)(p + i), needle));
        if (mask != 0) {
            i += (unsigned int)__builtin_ctz(mask);
            return i < n ? (void *)(p + i) : NULL;
        }
    }
    return NULL;
}
