/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shell/say.h"

static char *grown(char *text, size_t *room)
{
    *room = *room ? 2 * *room : 1 << 16;
    char *const larger = realloc(text, *room);
    if (!larger)
        free(text);
    return larger;
}

/* Returns NULL with errno on error. */
static char *read_all(FILE *file, size_t most, size_t *length)
{
    size_t room = 0;
    char *text = NULL;
    *length = 0;
    do {
        if (*length + 1 >= room && !(text = grown(text, &room)))
            return NULL;
        *length += fread(text + *length, 1, room - 1 - *length, file);
    } while (!feof(file) && !ferror(file) && !(most > 0 && *length > most));
    text[*length] = '\0';
    if (!ferror(file) && !(most > 0 && *length > most))
        return text;
    if (!ferror(file))
        errno = EFBIG;
    free(text);
    return NULL;
}

char *gb_cli_input_read(const char *path, size_t most, size_t *length)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *const file = standard ? stdin : fopen(path, "r");
    char *const text = file ? read_all(file, most, length) : NULL;
    if (!text)
        gb_cli_say(GB_CLI_IO, "cannot read %s: %s", path, strerror(errno));
    if (file && !standard)
        fclose(file);
    return text;
}
