/*
 * Memory between two pages that cannot be touched, and a way back from a
 * touch: TRY(f) calls f() and is 0, FAULT after an access violation, or what
 * was given to leave().
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define GUARDED_SIZE 65536      /* a multiple of every page size in use */
#define HUGE_SIZE (((size_t)1 << 32) + 65536)
#define FAULT 1

static void *guard_back[5];
static volatile int guard_why;

static __attribute__((noreturn, noinline, used)) void
leave(int why)
{
    guard_why = why;
    __builtin_longjmp(guard_back, 1);
}

#define TRY(f) (guard_why = 0, __builtin_setjmp(guard_back) ? guard_why : ((f)(), 0))

#ifdef _WIN32
# define WIN32_LEAN_AND_MEAN
# include <windows.h>

static void
guard_faulted(void)
{
    leave(FAULT);
}

/* Goes on in guard_faulted(), as if it had been called where the fault was. */
static LONG CALLBACK
guard_handler(EXCEPTION_POINTERS *e)
{
    if (e->ExceptionRecord->ExceptionCode != EXCEPTION_ACCESS_VIOLATION) {
        return EXCEPTION_CONTINUE_SEARCH;
    }
    e->ContextRecord->Rip = (DWORD64)guard_faulted;
    e->ContextRecord->Rsp = ((e->ContextRecord->Rsp - 256) & ~(DWORD64)15) - 8;
    return EXCEPTION_CONTINUE_EXECUTION;
}

static unsigned char *
guarded(void)
{
    char *p = VirtualAlloc(NULL, 3 * GUARDED_SIZE, MEM_RESERVE, PAGE_NOACCESS);

    if (p) p = VirtualAlloc(p + GUARDED_SIZE, GUARDED_SIZE, MEM_COMMIT, PAGE_READWRITE);
    if (!p || !AddVectoredExceptionHandler(1, guard_handler)) {
        fprintf(stderr, "no guarded memory: error %lu\n", GetLastError());
        exit(2);
    }
    return (unsigned char *)p;
}

/* Zeros; they take up memory only where they are written to. */
static __attribute__((unused)) unsigned char *
huge_memory(void)
{
    void *p = VirtualAlloc(NULL, HUGE_SIZE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

    if (!p) {
        fprintf(stderr, "no 4 GB of memory: error %lu\n", GetLastError());
        exit(2);
    }
    return p;
}
#else
# include <signal.h>
# include <sys/mman.h>

static void
guard_handler(int sig)
{
    (void)sig;
    leave(FAULT);
}

static unsigned char *
guarded(void)
{
    struct sigaction action = {.sa_handler = guard_handler, .sa_flags = SA_NODEFER};
    char *p = mmap(NULL, 3 * GUARDED_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED ||
        mprotect(p + GUARDED_SIZE, GUARDED_SIZE, PROT_READ | PROT_WRITE) != 0 ||
        sigaction(SIGSEGV, &action, NULL) != 0 ||
        sigaction(SIGBUS, &action, NULL) != 0) {
        perror("no guarded memory");
        exit(2);
    }
    return (unsigned char *)p + GUARDED_SIZE;
}

/* Zeros; they take up memory only where they are written to. */
static __attribute__((unused)) unsigned char *
huge_memory(void)
{
    void *p = mmap(NULL, HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED) {
        perror("no 4 GB of memory");
        exit(2);
    }
    return p;
}
#endif
