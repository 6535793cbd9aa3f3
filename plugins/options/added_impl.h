/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types that were added to those built in. They are only ever appended, so that look-ups take no lock. */
#ifndef GREBE_PLUGINS_OPTIONS_ADDED_IMPL_H
#define GREBE_PLUGINS_OPTIONS_ADDED_IMPL_H

#include "plugins/plugin.h"

enum { GB_ADDED_MOST = 1024 };

typedef struct gb_added {
    const gb_kind *kind;
    const gb_plugin *type;
    const char *from; /* "": the program */
} gb_added;

/* Returns those that were added before the call; `count` receives how many. */
const gb_added *gb_added_all(size_t *count);

/* Appends types. One thread at a time may call it, and there must be room. */
void gb_added_append(size_t count, const gb_added *more);

#endif
