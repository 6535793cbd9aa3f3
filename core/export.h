/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Macros that every public header uses: visibility, linkage from C++, checked formats. */
#ifndef GREBE_CORE_EXPORT_H
#define GREBE_CORE_EXPORT_H

/* The shared library exports only names that are declared GB_API. */
#if defined(__GNUC__)
#define GB_API __attribute__((visibility("default")))
#define GB_PRINTF(text, arguments) __attribute__((format(printf, text, arguments)))
#else
#define GB_API
#define GB_PRINTF(text, arguments)
#endif

#ifdef __cplusplus
/* Declarations in C, also for C++, stand between these two. */
#define GB_BEGIN_DECLS extern "C" {
#define GB_END_DECLS }
#else
#define GB_BEGIN_DECLS
#define GB_END_DECLS
#endif

/* The binary interface. A library with one soname (libgrebe.so.0.2) runs programs that were compiled with any
 * older version of that soname. Options that a caller passes (gb_x_options, gb_checkpoint, gb_fit_seeds)
 * begin with their size and may grow at their end: core/options.h. All other public structs keep their
 * length, including those that only occur inside others, such as the head of an optimiser's options.
 * The test house/sizes holds their lengths.
 *
 * A type struct ends with a reserve for slots of later versions. A new slot replaces a pointer of the
 * reserve, so the length stays the same. Programs compiled with an older version have 0 there. */
#define GB_RESERVE(slots) const void *reserved[slots]

#endif
