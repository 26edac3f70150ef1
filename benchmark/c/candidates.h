/* What is compared and tested: one table for memchr, one for strlen. */
#include <stddef.h>

typedef void *memchr_fn(const void *, int, size_t);
typedef size_t strlen_fn(const char *);

memchr_fn memchr_bytes, memchr_swar, memchr_sse2, memchr_musl;
memchr_fn rb_w32_memchr, rb_w32_memchr_unrolled;
strlen_fn strlen_bytes, strlen_unrolled, strlen_words, strlen_scasb, strlen_sse2;

struct memchr_candidate {
    const char *name;
    memchr_fn *fn;
    const char *what;
    const char *fails;  /* the cases of test/memchr/conform.c that it fails */
};

struct strlen_candidate {
    const char *name;
    strlen_fn *fn;
    const char *what;
};

/* Both end with a NULL name. */
extern const struct memchr_candidate memchr_candidates[];
extern const struct strlen_candidate strlen_candidates[];
