/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A strict reader of JSON, as small as tests need. */
#ifndef GREBE_TESTS_JSON_H
#define GREBE_TESTS_JSON_H

#include <stdbool.h>

/* Whether the text is one JSON value and white space around it, nothing else. */
bool json_is_valid(const char *text);

/* Where the value begins that `path` leads to ("estimators.0.name");
 * NULL: there is none. The text is valid. */
const char *json_find(const char *text, const char *path);

/* The number there; NaN: there is none. */
double json_number(const char *text, const char *path);

/* How many values the array there has; -1: it is none. */
int json_count(const char *text, const char *path);

#endif
