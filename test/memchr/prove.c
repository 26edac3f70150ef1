/*
 * For CBMC: any c and any n, and an object that lies anywhere in BLOCKS
 * aligned blocks.  The memory is the blocks that hold s .. match, or
 * s .. s+n-1, and nothing else, so every load outside them is an error.
 */
#include MEMCHR_C               /* test/memchr/test_memchr.rb says which */

#define BLOCK 16

size_t nondet_size(void);
int nondet_int(void);
unsigned char nondet_byte(void);
const void *nondet_pointer(void);

int
main(void)
{
    unsigned char memory[BLOCKS * BLOCK] __attribute__((aligned(BLOCK)));
    const size_t offset = nondet_size(), n = nondet_size();
    const int c = nondet_int();
    const void *expected = NULL;
    size_t last;

    __CPROVER_assert(rb_w32_memchr(nondet_pointer(), c, 0) == NULL, "n = 0: NULL, and nothing read");

    __CPROVER_assume(offset < BLOCK && n > 0);
    last = n - 1;
    for (size_t i = 0; i < BLOCKS * BLOCK; i++) {
        memory[i] = nondet_byte();
        if (!expected && i >= offset && i - offset < n && memory[i] == (unsigned char)c) {
            expected = memory + i;
            last = i - offset;
        }
    }
    __CPROVER_assume(last < BLOCKS * BLOCK - offset && (offset + last) / BLOCK == BLOCKS - 1);
    __CPROVER_assert(rb_w32_memchr(memory + offset, c, n) == expected, "the specified result");
    return 0;
}
