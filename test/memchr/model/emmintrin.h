/*
 * What rb_w32_memchr uses of SSE2, byte by byte, for CBMC, which has no model
 * of its own.  Compiled with this header the function must pass conform.c too.
 */
typedef struct {unsigned char byte[16];} __attribute__((aligned(16))) __m128i;

static inline __m128i
_mm_set1_epi8(char c)
{
    __m128i x;
    for (int i = 0; i < 16; i++) x.byte[i] = (unsigned char)c;
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
