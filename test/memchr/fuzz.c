/*
 * For libFuzzer: a haystack up to the end of a page, any n, any c.
 *   clang -O1 -g -fsanitize=fuzzer,undefined test/memchr/fuzz.c win32/memchr.c
 */
#include "guard.h"

#include <stdint.h>
#include <string.h>

void *rb_w32_memchr(const void *s, int c, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const void *s, *got;
static int c;
static size_t n;

static void
call(void)
{
    got = rb_w32_memchr(s, c, n);
}

/* The input: c, 4 bytes; what n is, 1 byte; bytes after the object, 1 byte;
 * the haystack. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char *end;
    const unsigned char *expected = NULL;
    size_t length, after, i;
    unsigned char beyond;

    if (!end) end = guarded() + GUARDED_SIZE;
    if (size < 6 || size > 4096) return 0;
    memcpy(&c, data, 4);
    beyond = data[4];
    after = data[5] % 64;
    length = size - 6;
    s = end - length - after;
    memcpy(end - length - after, data + 6, length);
    memset(end - after, c, after);      /* decoys: not to be found */

    for (i = 0; i < length && !expected; i++) {
        if (data[6 + i] == (unsigned char)c) expected = (const unsigned char *)s + i;
    }
    /* n may go beyond the object only where there is a match */
    n = length;
    if (expected) {
        const size_t least = (size_t)(expected - (const unsigned char *)s) + 1;
        if (beyond & 1) n = least + (beyond >> 1);
        if ((beyond & 7) == 2) n = SIZE_MAX - (beyond >> 3);
        if ((beyond & 7) == 4) n = -(size_t)s + least + (beyond >> 3);
    }
    if (TRY(call) != 0 || got != expected) {
        fprintf(stderr, "rb_w32_memchr(page end - %d, %d, %llu): %s\n", (int)(length + after), c,
                (unsigned long long)n, got == expected ? "fault" : "wrong answer");
        abort();
    }
    return 0;
}
