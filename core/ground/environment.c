/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/environment_impl.h"

#include <stdlib.h>
#include <string.h>

int gb_environment_choice(const char *name, const char *const *words, const char **unknown)
{
    const char *const word = getenv(name);
    *unknown = NULL;
    for (int i = 0; word && *word && words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    *unknown = word && *word ? word : NULL;
    return -1;
}
