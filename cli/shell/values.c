/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shell/say.h"
#include "core/ground/text_impl.h"

bool gb_cli_number(const char *text, double *value)
{
    return gb_text_number(text, strlen(text), value);
}

static bool whole(const char *text, uint64_t *value)
{
    static const double exact = 9007199254740992; /* 2^53 */
    double number;
    if (*text && text[strspn(text, "0123456789")] == '\0') {
        errno = 0;
        *value = strtoull(text, NULL, 10);
        return errno == 0;
    }
    if (!gb_cli_number(text, &number) || !(number >= 0 && number <= exact) || floor(number) < number)
        return false;
    *value = (uint64_t)number;
    return true;
}

bool gb_cli_whole(const gb_cli *cli, size_t option, uint64_t low, uint64_t high, uint64_t *value)
{
    const char *const text = cli->value[option];
    if (!text || (whole(text, value) && *value >= low && *value <= high))
        return true;
    return gb_cli_reject("--%s is \"%s\"; it must be a whole number from %" PRIu64 " to %" PRIu64,
                         cli->command->options[option].name, text, low, high);
}

bool gb_cli_choice(const gb_cli *cli, size_t option, size_t count, const char *const *names, size_t *value)
{
    char what[64];
    const char *const text = cli->value[option];
    if (!text)
        return true;
    snprintf(what, sizeof what, "--%s", cli->command->options[option].name);
    return gb_cli_find(what, text, count, names, value);
}
