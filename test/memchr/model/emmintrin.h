/*
 * SSE2, as far as it is used here, byte by byte: for CBMC, which has no model
 * of its own.  Compiled with it, rb_w32_memchr must pass conform.c too.
 */
#ifndef MODEL_EMMINTRIN_H
#define MODEL_EMMINTRIN_H

typedef struct {unsigned char byte[16];} __attribute__((aligned(16), may_alias)) __m128i;

static inline __m128i
_mm_set1_epi8(char c)
{
    __m128i x;
    for (int i = 0; i < 16; i++) x.byte[i] = (unsigned char)c;
    return x;
}

static inline __m128i
_mm_setzero_si128(void)
{
    return _mm_set1_epi8(0);
}

static inline __m128i
_mm_loadu_si128(const __m128i *p)
{
    __m128i x;
    for (int i = 0; i < 16; i++) x.byte[i] = ((const unsigned char *)p)[i];
    return x;
}

static inline __m128i
_mm_cmpeq_epi8(__m128i a, __m128i b)
{
    for (int i = 0; i < 16; i++) a.byte[i] = a.byte[i] == b.byte[i] ? 0xff : 0;
    return a;
}

static inline __m128i
_mm_or_si128(__m128i a, __m128i b)
{
    for (int i = 0; i < 16; i++) a.byte[i] |= b.byte[i];
    return a;
}

static inline int
_mm_movemask_epi8(__m128i x)
{
    int mask = 0;
    for (int i = 0; i < 16; i++) mask |= (x.byte[i] >> 7) << i;
    return mask;
}

#endif
