/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choices by variables of the environment. */
#ifndef GREBE_CORE_GROUND_ENVIRONMENT_IMPL_H
#define GREBE_CORE_GROUND_ENVIRONMENT_IMPL_H

/* Returns which of the words a variable is; −1 if it is not set, or empty. NULL ends the words. If it is
 * another word, `*unknown` is that word, else NULL. */
int gb_environment_choice(const char *name, const char *const *words, const char **unknown);

#endif
