/* Linked into the fuzz targets by ci/fuzz --coverage: has libFuzzer print addresses, as
   offsets in the program, where it would print lines. addr2line makes lines of them. */
#include <stddef.h>
#include <stdio.h>

extern char __executable_start;

void __sanitizer_symbolize_pc(void *pc, const char *format, char *out, size_t size) {
    snprintf(out, size, "%s0x%lx", *format == ' ' ? " " : "",
             (unsigned long)((char *)pc - &__executable_start));
}

int __sanitizer_get_module_and_offset_for_pc(void *pc, char *module, size_t size, void **offset) {
    (void)pc, (void)module, (void)size, (void)offset;
    return 0;
}
