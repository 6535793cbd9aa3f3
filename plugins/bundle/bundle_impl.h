/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_PLUGINS_BUNDLE_BUNDLE_IMPL_H
#define GREBE_PLUGINS_BUNDLE_BUNDLE_IMPL_H

#include "plugins/bundle.h"

/* Like gb_bundle_add. `count` receives how many types are new; `from` must stay as long as the process if it
 * is not 0. */
gb_status gb_bundle_add_new(const gb_bundle *bundle, const char *from, size_t *count, char *error,
                            size_t bytes);

#endif
