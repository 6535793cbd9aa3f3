/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target without a fuzzer: main FOLDER [MUTATIONS]. Each file of the folder as it is, then as
 * many mutations of them, always the same. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { MOST_BYTES = 4096, MOST_FILES = 1000 };

typedef struct sample {
    char name[256];
    size_t length;
    uint8_t bytes[MOST_BYTES];
} sample;

static uint64_t next(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const sample *)a)->name, ((const sample *)b)->name);
}

/* How many files; in the order of their names, as a folder has none. */
static size_t read_folder(const char *path, sample *samples)
{
    char file_path[1024];
    size_t count = 0;
    DIR *const folder = opendir(path);
    for (const struct dirent *entry; folder && count < MOST_FILES && (entry = readdir(folder));) {
        sample *const s = &samples[count];
        snprintf(s->name, sizeof s->name, "%s", entry->d_name);
        snprintf(file_path, sizeof file_path, "%s/%s", path, s->name);
        FILE *const file = *s->name == '.' ? NULL : fopen(file_path, "rb");
        if (!file)
            continue;
        s->length = fread(s->bytes, 1, sizeof s->bytes, file);
        fclose(file);
        count++;
    }
    if (folder)
        closedir(folder);
    qsort(samples, count, sizeof *samples, by_name);
    return count;
}

/* A byte, a bit, or a number that is likely to be one of the bounds; now and then another length. */
static void mutate(sample *s, uint64_t *random)
{
    static const uint8_t numbers[] = {0, 1, 2, 7, 8, 127, 128, 255};
    for (uint64_t times = 1 + next(random) % 4; times > 0 && s->length > 0; times--) {
        const size_t at = next(random) % s->length;
        const uint64_t kind = next(random) % 8;
        if (kind < 3)
            s->bytes[at] = (uint8_t)next(random);
        else if (kind < 5)
            s->bytes[at] ^= (uint8_t)(1 << next(random) % 8);
        else if (kind == 5)
            memset(s->bytes + at, numbers[next(random) % 8], s->length - at < 8 ? s->length - at : 8);
        else if (kind == 6)
            memmove(s->bytes + at, s->bytes + next(random) % (at + 1), s->length - at);
        else
            s->length = next(random) % 2 ? at : s->length + next(random) % (MOST_BYTES - s->length + 1) % 64;
    }
}

int main(int count, char **argument)
{
    uint64_t random = 1;
    sample *const samples = calloc(MOST_FILES + 1, sizeof *samples), *const mutated = samples + MOST_FILES;
    const size_t files = samples && count > 1 ? read_folder(argument[1], samples) : 0;
    const long mutations = count > 2 ? strtol(argument[2], NULL, 10) : 0;
    for (size_t i = 0; i < files; i++)
        LLVMFuzzerTestOneInput(samples[i].bytes, samples[i].length);
    for (long i = 0; files > 0 && i < mutations; i++) {
        *mutated = samples[next(&random) % files];
        mutate(mutated, &random);
        LLVMFuzzerTestOneInput(mutated->bytes, mutated->length);
    }
    printf("%zu files and %ld mutations\n", files, mutations);
    free(samples);
    return files == 0;
}
