/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From texts to the bytes of a shared object. */
#ifndef GREBE_CORE_NATIVE_BUILD_IMPL_H
#define GREBE_CORE_NATIVE_BUILD_IMPL_H

#include "core/native/compiler_impl.h"
#include "core/native/object_impl.h"

typedef struct gb_bytes {
    void *at; /* of the source's memory; who gets it frees it */
    size_t length;
} gb_bytes;

/* Compiles the texts and links them to an object that exports `key`, a word, as gb_object_key. Nothing but the
 * bytes remains. */
bool gb_build(const gb_compiler *compiler, const gb_source *source, const char *key,
              const atomic_bool *cancel, gb_bytes *object, gb_why why);

#endif
