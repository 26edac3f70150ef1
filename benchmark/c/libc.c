/*
 * C library functions one by one, for each library named: GB/s over 1040 bytes
 * with what is looked for at their end.  On Windows: which functions of
 * ucrtbase.dll are slow?
 */
#include "bench.h"

#include <stddef.h>
#include <wchar.h>

#define SIZE 1040

#ifdef _WIN32
# define DEFAULT_LIBRARIES {"ucrtbase.dll", "msvcrt.dll", "vcruntime140.dll"}

static void *
open_library(const char *name)
{
    return (void *)LoadLibraryA(name);
}

static void *
find_function(void *library, const char *name)
{
    return (void *)GetProcAddress(library, name);
}
#else
# include <dlfcn.h>
# define DEFAULT_LIBRARIES {"libc.so.6"}

static void *
open_library(const char *name)
{
    return dlopen(name, RTLD_NOW);
}

static void *
find_function(void *library, const char *name)
{
    return dlsym(library, name);
}
#endif

static char *text, *other, *copy;       /* SIZE bytes, the last but one is 'z' */
static wchar_t *wide;                   /* SIZE bytes too, with the NUL */

/* RUN(the function's type, its call, the right answer): four calls a step. */
#define RUN(name, type, call, answer) \
    static unsigned long \
    run_##name(void *arg, int column, unsigned long times) \
    { \
        typedef type; \
        function *const fn = (function *)((void **)arg)[column]; \
        unsigned long wrong = 0; \
        if (!fn) return BENCH_ABSENT; \
        for (; times != 0; times -= 4) { \
            wrong += (call) != (answer); \
            wrong += (call) != (answer); \
            wrong += (call) != (answer); \
            wrong += (call) != (answer); \
        } \
        return wrong; \
    }
#define SIGN(x) ((x) < 0 ? -1 : (x) > 0)

/* text is 1038 times 'a', "z" and NUL; other has a 'y' for the 'z' */
RUN(memchr, void *function(const void *, int, size_t), fn(text, 'z', SIZE), text + SIZE - 2)
RUN(strcmp, int function(const char *, const char *), SIGN(fn(text, other)), 1)
RUN(strncmp, int function(const char *, const char *, size_t), SIGN(fn(text, other, SIZE)), 1)
RUN(strlen, size_t function(const char *), fn(text), SIZE - 1)
RUN(strstr, char *function(const char *, const char *), fn(text, "z"), text + SIZE - 2)
RUN(strrchr, char *function(const char *, int), fn(text, 'z'), text + SIZE - 2)
RUN(strchr, char *function(const char *, int), fn(text, 'z'), text + SIZE - 2)
RUN(memcmp, int function(const void *, const void *, size_t), SIGN(fn(text, other, SIZE)), 1)
RUN(strnlen, size_t function(const char *, size_t), fn(text, SIZE), SIZE - 1)
RUN(wcslen, size_t function(const wchar_t *), fn(wide), SIZE / sizeof(wchar_t) - 1)
RUN(memmove, void *function(void *, const void *, size_t), fn(copy, text, SIZE), copy)
RUN(memcpy, void *function(void *, const void *, size_t), fn(copy, text, SIZE), copy)
RUN(memset, void *function(void *, int, size_t), fn(copy, 's', SIZE), copy)

static const struct {
    const char *name;
    bench_run *run;
} functions[] = {
#define F(name) {#name, run_##name}
    F(memchr), F(strcmp), F(strncmp), F(strlen), F(strstr), F(strrchr), F(strchr),
    F(memcmp), F(strnlen), F(wcslen), F(memmove), F(memcpy), F(memset),
#undef F
};

/* The copying functions' results: looked at once a row, they are SIZE bytes. */
static void
check_copy(const char *name)
{
    static char stars[SIZE];

    memset(stars, 's', SIZE);
    if (!strcmp(name, "memmove") || !strcmp(name, "memcpy")) {
        if (!memcmp(copy, text, SIZE)) return;
    }
    else if (strcmp(name, "memset") || !memcmp(copy, stars, SIZE)) {
        return;
    }
    fprintf(stderr, "%s: the copy is wrong\n", name);
    exit(1);
}

int
main(int argc, char **argv)
{
    const char *default_libraries[] = DEFAULT_LIBRARIES;
    const char **names = default_libraries;
    int count = sizeof(default_libraries) / sizeof(default_libraries[0]);
    void *library[BENCH_COLUMNS];
    static char slow[BENCH_COLUMNS][256];
    const int left = bench_options(argc, argv, " [LIBRARY...]",
                                   "C library functions one by one, GB/s over 1040 bytes, of each LIBRARY.\n");

    if (left > 1) {
        names = (const char **)argv + 1;
        count = left - 1;
    }
    if (count > BENCH_COLUMNS) {
        fprintf(stderr, "at most %d libraries\n", BENCH_COLUMNS);
        return 1;
    }
    for (int j = 0; j < count; j++) {
        const int k = bench.columns;
        library[k] = open_library(names[j]);
        bench.column[k] = names[j];
        if (library[k]) bench.columns++;
        else fprintf(stderr, "%s: cannot be loaded, left out\n", names[j]);
    }
    if (bench.columns == 0) return 1;

    text = calloc(4, SIZE + 64);
    if (!text) {
        perror("no memory");
        return 1;
    }
    text += 64 - (size_t)text % 64;
    other = text + SIZE + 48;
    copy = other + SIZE + 48;
    wide = (wchar_t *)(copy + SIZE + 48);
    memset(text, 'a', SIZE - 2);
    text[SIZE - 2] = 'z';
    memcpy(other, text, SIZE);
    other[SIZE - 2] = 'y';
    for (size_t i = 0; i + 1 < SIZE / sizeof(wchar_t); i++) wide[i] = L'a';

    /* 8 MB a round */
    bench.rounds = bench.quick ? 5 : 32;
    const double bytes_a_sample = 256e6 / 32;
    bench_table(bench.quick ? "C library functions, 1040 bytes, 40 MB a cell" : "C library functions, 1040 bytes, 256 MB a cell", "GB/s");
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *fn[BENCH_COLUMNS] = {NULL};
        for (int j = 0; j < bench.columns; j++) fn[j] = find_function(library[j], functions[i].name);
        memset(copy, 0, SIZE);
        bench_calls(functions[i].run, fn, (unsigned long)(bytes_a_sample / SIZE));
        check_copy(functions[i].name);
        bench_print(functions[i].name, SIZE, SIZE);
        for (int j = 0; j < bench.columns; j++) {
            if (bench.cell[j].best * bench_clocks_a_ns() > SIZE / 1.5) {
                strcat(strcat(slow[j], " "), functions[i].name);
            }
        }
    }
    bench_end();
    for (int j = 0; j < bench.columns; j++) {
        if (*slow[j]) printf("Slow in %s, less than 1.5 bytes a clock:%s\n", bench.column[j], slow[j]);
    }
    return 0;
}
