/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What public headers need before anything else: visibility, linkage from C++, checked formats. */
#ifndef GREBE_CORE_EXPORT_H
#define GREBE_CORE_EXPORT_H

/* Everything is hidden in the shared library but what is declared GB_API. */
#if defined(__GNUC__)
#define GB_API __attribute__((visibility("default")))
#define GB_PRINTF(text, arguments) __attribute__((format(printf, text, arguments)))
#else
#define GB_API
#define GB_PRINTF(text, arguments)
#endif

#ifdef __cplusplus
#define GB_BEGIN_DECLS extern "C" {
#define GB_END_DECLS }
#else
#define GB_BEGIN_DECLS
#define GB_END_DECLS
#endif

/* The end of a type struct: room for slots of later versions. A slot is taken out of the room, so the length
 * stays the same for all versions with one soname, and older programs have 0 there. */
#define GB_RESERVE(slots) const void *reserved[slots]

#endif
