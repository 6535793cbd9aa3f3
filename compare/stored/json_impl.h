/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads JSON where it stands: no tree is made, and no memory is taken. A text is checked as a whole first.
 * After that a value is a piece of it, and a member or an element is found by walking over those before. */
#ifndef GREBE_COMPARE_STORED_JSON_IMPL_H
#define GREBE_COMPARE_STORED_JSON_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value: from its first byte to the end of the text. `at` NULL: none. */
typedef struct gb_json {
    const char *at, *end;
} gb_json;

/* Returns the value of a text that is one object, with white space around it and nothing else, in which no
 * object has a key twice. Else returns none, and stores the place of the first wrong byte in `wrong`, and
 * what is wrong there in `why`. */
gb_json gb_json_of(const char *text, size_t bytes, size_t *wrong, const char **why);

/* The first byte: { [ " a digit or - t f n; 0 for none. */
char gb_json_kind(gb_json value);

/* Return the member of that name, or of the name that a key of another text has; none if there is none, or if
 * the value is no object. */
gb_json gb_json_member(gb_json object, const char *name);
gb_json gb_json_like(gb_json object, gb_json key);

/* Compare the letters of texts, whether they are escaped or not. A text with a 0 or half of a surrogate pair
 * is the same as none. */
bool gb_json_same_text(gb_json a, gb_json b); /* both must be texts */
bool gb_json_is_text(gb_json value, const char *text);

/* Walks over an array or an object: from none to the first value, from each to the next, from the last to
 * none. `key`, unless NULL, receives the name of a member, as a text. */
gb_json gb_json_next(gb_json whole, gb_json before, gb_json *key);

/* How many values an array or an object has, and how many bytes of text it takes. */
size_t gb_json_count(gb_json whole);
size_t gb_json_bytes(gb_json value);

/* Return false if the value is something else. Null is the number NaN. A text that does not fit is no text;
 * neither is one with a 0 in it. */
bool gb_json_read_number(gb_json value, double *number);
bool gb_json_read_whole(gb_json value, uint64_t *number);
bool gb_json_read_truth(gb_json value, bool *truth);
bool gb_json_read_text(gb_json value, char *text, size_t room);

#endif
