/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of names, separated by commas; in quotes ("") if they have commas. */
#ifndef GREBE_DATA_TABLE_NAMES_IMPL_H
#define GREBE_DATA_TABLE_NAMES_IMPL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gb_listed_name {
    const char *text;
    size_t length;       /* without spaces and quotes around it */
    bool is_half_quoted; /* it begins with a quote, and has more after the next one, or no next one */
} gb_listed_name;

/* Returns the next name, and moves `list` behind it; `text` is NULL at the end. */
gb_listed_name gb_next_listed(const char **list);

#endif
