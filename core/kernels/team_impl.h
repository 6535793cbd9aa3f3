/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of a team, as the engine speaks to them. All calls are made by all members together. Once a
 * call has failed the team is broken, and nothing is sent any more. */
#ifndef GREBE_CORE_KERNELS_TEAM_IMPL_H
#define GREBE_CORE_KERNELS_TEAM_IMPL_H

#include "core/ground/memory_impl.h"
#include "core/kernels/block_impl.h"
#include "core/team.h"

enum { GB_WORD_NUMBERS = 4 };
enum { GB_ERROR_TEXT = 640 }; /* bytes of a tape's error, which the others hear */

/* What a member says of itself. */
typedef struct gb_word {
    int64_t status;                   /* gb_status of its tape */
    int64_t rows;                     /* that it was fed; −1: none are needed */
    uint64_t number[GB_WORD_NUMBERS]; /* that all members should say alike */
} gb_word;

/* A tape's place in its team. */
typedef struct gb_mates {
    gb_team *team;  /* NULL: none */
    gb_word *heard; /* [members] */
    gb_team_traffic traffic;
    bool is_broken;
    bool has_told; /* the tape's error is known to all */
} gb_mates;

/* Returns what is wrong with a team; NULL: nothing. */
const char *gb_team_fault(const gb_team *team);

/* Joins the team; NULL: none. Returns false if memory runs out. */
bool gb_mates_join(gb_mates *mates, gb_team *team, const gb_memory *memory);

/* What a member says that has no memory for its tape, with the status that says so; NULL: to nobody. The
 * others hear it in their next word, if they are at most GB_MOST_HEARD: there is no room to hear more. */
enum { GB_MOST_HEARD = 1024 };
void gb_team_go_without(gb_team *team, int64_t status);

/* Tells the others one's word, and hears theirs in mates->heard. Returns false if the team is broken. */
bool gb_mates_gather(gb_mates *mates, gb_word mine);

/* Puts the sums over the members in the place of doubles. Returns false if the team is broken. */
bool gb_mates_add_up(gb_mates *mates, double *numbers, size_t count);

/* Copies member `from`'s bytes to the others. Returns false if the team is broken. */
bool gb_mates_broadcast(gb_mates *mates, void *bytes, size_t count, int from);

/* ---- an instruction: numbers of all members, added up ---- */

typedef struct gb_exchange_part {
    const void *from;
    void *to;
    size_t count;
    gb_reduction by;
} gb_exchange_part;

/* So many numbers travel by themselves: gathering them in a message takes longer than another message. */
enum { GB_TRAVELS_ALONE = 1 << 16 };

/* All that is exchanged at one time: sums in one message, maxima in another, and large arrays. */
typedef struct gb_exchange {
    gb_mates *mates;
    gb_real real;
    gb_exchange_part *part;
    size_t parts;
    size_t count[2]; /* in messages: of sums, of maxima */
    char *message;   /* room for the larger of the two */
} gb_exchange;
gb_block_kernel gb_exchange_kernel;

#endif
