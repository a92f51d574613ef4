/* A file system without locks, to be preloaded: every attempt to lock a file fails with ERR. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

#define WITHOUT_LOCKS(name)                                              \
  int name(int file, int command, ...) {                                 \
    static int (*real)(int, int, ...);                                   \
    va_list rest;                                                        \
    va_start(rest, command);                                             \
    void *argument = va_arg(rest, void *);                               \
    va_end(rest);                                                        \
    if (command == F_SETLK || command == F_SETLKW) return errno = ERR, -1; \
    if (!real) real = dlsym(RTLD_NEXT, #name);                           \
    return real(file, command, argument);                                \
  }

WITHOUT_LOCKS(fcntl)
WITHOUT_LOCKS(fcntl64)
