/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named arguments. A function gb_x_with takes its required arguments, then a pointer to a struct
 * gb_x_options, which begins with `size_t size`. NULL means all defaults. The macro gb_x takes the options as
 * named arguments:
 *
 *     typedef struct gb_x_options {
 *         size_t size;
 *         bool flag;
 *     } gb_x_options;
 *     #define gb_x(...) GB_CALL_2(gb_x, __VA_ARGS__, .size = sizeof(gb_x_options))
 *     GB_API gb_node gb_x_with(gb_node a, gb_node b, const gb_x_options *options);
 *
 * The calls are then gb_x(a, b) and gb_x(a, b, .flag = true). C++ and other languages call gb_x_with and must
 * set `size`: a size of 0 is an error. */
#ifndef GREBE_CORE_OPTIONS_H
#define GREBE_CORE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "export.h"

GB_BEGIN_DECLS

/* Calls of name##_with; the digit is the number of required arguments. ISO C requires at least one argument
 * in the place of the dots. So the options end with `.size = …`, and those of GB_CALL_0 begin with it. Put a
 * required argument in parentheses if it is a compound literal with commas. */
#define GB_CALL_0(name, ...) name##_with(&(name##_options){__VA_ARGS__})
#define GB_CALL_1(name, a, ...) name##_with(a, &(name##_options){__VA_ARGS__})
#define GB_CALL_2(name, a, b, ...) name##_with(a, b, &(name##_options){__VA_ARGS__})
#define GB_CALL_3(name, a, b, c, ...) name##_with(a, b, c, &(name##_options){__VA_ARGS__})
#define GB_CALL_4(name, a, b, c, d, ...) name##_with(a, b, c, d, &(name##_options){__VA_ARGS__})
#define GB_CALL_5(name, a, b, c, d, e, ...) name##_with(a, b, c, d, e, &(name##_options){__VA_ARGS__})

/* The same for a constructor gb_thing_new, whose struct of options is gb_thing_options. */
#define GB_NEW_0(thing, ...) thing##_new_with(&(thing##_options){__VA_ARGS__})
#define GB_NEW_1(thing, a, ...) thing##_new_with(a, &(thing##_options){__VA_ARGS__})
#define GB_NEW_2(thing, a, b, ...) thing##_new_with(a, b, &(thing##_options){__VA_ARGS__})
#define GB_NEW_3(thing, a, b, c, ...) thing##_new_with(a, b, c, &(thing##_options){__VA_ARGS__})

/* What is wrong with the size of an options struct. */
typedef enum gb_options_fault {
    GB_OPTIONS_GOOD,
    GB_OPTIONS_UNKNOWN, /* sets members that this library does not know: the caller's header is newer */
    GB_OPTIONS_NO_SIZE  /* the size is 0, or otherwise less than sizeof(size_t) */
} gb_options_fault;
GB_API gb_options_fault gb_options_look(const void *theirs, size_t bytes);
/* For messages: "has no size; set .size = sizeof(it)". */
GB_API const char *gb_options_fault_words(gb_options_fault fault);

/* Copies the caller's options `theirs` to `own`, a struct of `bytes` bytes, and sets its `size` to `bytes`.
 * The two sizes differ if the caller was compiled with another version of the header. Members that only `own`
 * has become 0, all of them if `theirs` is NULL. Returns false on a fault of the size; `own` then has all
 * defaults, and a size by which gb_options_pack knows the fault, so the constructor of a plug-in needs no
 * check. */
GB_API bool gb_options_copy(void *own, size_t bytes, const void *theirs);

/* The same, but a fault is also recorded as the error "WHO: …" on the tape. A NULL tape means that an earlier
 * call failed; the function then records nothing and returns true. */
struct gb_tape;
GB_API bool gb_options_take(struct gb_tape *tape, const char *who, void *own, size_t bytes,
                            const void *theirs);

GB_END_DECLS
#endif
