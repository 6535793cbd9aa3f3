/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options: how functions with named arguments are declared, and how they read them.
 *
 * A function gb_x_with takes its required arguments, then a pointer to a struct gb_x_options, which begins
 * with `size_t size`; NULL stands for all defaults. The macro gb_x has named arguments:
 *
 *     typedef struct gb_x_options {
 *         size_t size;
 *         bool flag;
 *     } gb_x_options;
 *     #define gb_x(...) GB_CALL_2(gb_x, __VA_ARGS__, .size = sizeof(gb_x_options))
 *     GB_API gb_node gb_x_with(gb_node a, gb_node b, const gb_x_options *options);
 *
 * so that gb_x(a, b) and gb_x(a, b, .flag = true) are calls. C++ and other languages call gb_x_with, and set
 * `size`: options whose size is 0 are not read. */
#ifndef GREBE_CORE_OPTIONS_H
#define GREBE_CORE_OPTIONS_H

#include <stddef.h>

#include "export.h"

GB_BEGIN_DECLS

/* Calls of name##_with: the digit is the number of required arguments. ISO C wants something in the place of
 * the dots, so the options end with `.size = …`, and those of GB_CALL_0 begin with it. A required argument
 * that is a compound literal with commas stands in parentheses. */
#define GB_CALL_0(name, ...) name##_with(&(name##_options){__VA_ARGS__})
#define GB_CALL_1(name, a, ...) name##_with(a, &(name##_options){__VA_ARGS__})
#define GB_CALL_2(name, a, b, ...) name##_with(a, b, &(name##_options){__VA_ARGS__})
#define GB_CALL_3(name, a, b, c, ...) name##_with(a, b, c, &(name##_options){__VA_ARGS__})

/* The same for a constructor gb_thing_new, whose options are those of the thing: gb_thing_options. */
#define GB_NEW_0(thing, ...) thing##_new_with(&(thing##_options){__VA_ARGS__})
#define GB_NEW_1(thing, a, ...) thing##_new_with(a, &(thing##_options){__VA_ARGS__})
#define GB_NEW_2(thing, a, b, ...) thing##_new_with(a, b, &(thing##_options){__VA_ARGS__})

/* Copies the options of a caller to `own`, a struct of `bytes` bytes, whose `size` becomes `bytes`. Members
 * that the caller's struct does not have become 0: it is shorter if he was compiled with an older header, and
 * `theirs` is NULL if he gave no options. Members that only his struct has are not read. */
GB_API void gb_options_copy(void *own, size_t bytes, const void *theirs);

GB_END_DECLS
#endif
