/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Domains: the sets of numbers that parameters are held to and that draws lie in. */
#ifndef GREBE_DISTRIBUTIONS_DOMAIN_H
#define GREBE_DISTRIBUTIONS_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "../core/export.h"

GB_BEGIN_DECLS

typedef struct gb_domain {
    size_t size;             /* REQUIRED: sizeof(gb_domain) */
    const char *name;        /* REQUIRED: for lists, "positive" */
    const char *must_be;     /* REQUIRED: for messages, "scale is -1, and must be positive" */
    bool (*holds)(double x); /* REQUIRED: whether x lies in it; false for NaN */
} gb_domain;

GB_API extern const gb_domain gb_real_domain, gb_positive_domain;

#define GB_REAL (&gb_real_domain)         /* the finite numbers */
#define GB_POSITIVE (&gb_positive_domain) /* finite and above 0 */

GB_END_DECLS
#endif
