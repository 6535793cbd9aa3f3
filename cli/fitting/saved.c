/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/saved.h"

#include <stdlib.h>
#include <string.h>

#include "models/checkpoint.h"

/* The notes. A fit's is four lines: this head, the model, the posterior and the samples of a step. */
static const char fit_note[] = "grebe.fit", verdict_note[] = "grebe.fit.verdict", head[] = "grebe fit 1";
enum { NOTE = 3 * GB_CLI_TEXT };

gb_status gb_cli_saved_note(gb_tape *tape, const gb_cli_asked *asked)
{
    char note[NOTE];
    const int length = snprintf(note, sizeof note, "%s\n%s\n%s\n%llu\n", head, asked->model_text,
                                asked->posterior_text, (unsigned long long)asked->samples);
    return gb_tape_note(tape, fit_note, note, (size_t)length);
}

gb_status gb_cli_saved_note_verdict(gb_tape *tape, const char *verdict)
{
    return gb_tape_note(tape, verdict_note, verdict, strlen(verdict));
}

/* Copies the line at `*at`, and goes behind it. False if it does not end, or does not fit. */
static bool next_line(const char **at, char *line, size_t bytes)
{
    const size_t length = strcspn(*at, "\n");
    if ((*at)[length] != '\n' || length >= bytes)
        return false;
    memcpy(line, *at, length);
    line[length] = '\0';
    *at += length + 1;
    return true;
}

static bool read_note(gb_cli_asked *asked, const char *at)
{
    char version[sizeof head], samples[24], error[512];
    *asked = (gb_cli_asked){.seed = 1};
    if (!next_line(&at, version, sizeof version) || strcmp(version, head) != 0 ||
        !next_line(&at, asked->model_text, GB_CLI_TEXT) ||
        !next_line(&at, asked->posterior_text, GB_CLI_TEXT) || !next_line(&at, samples, sizeof samples))
        return gb_cli_reject("its note on the model is damaged, or of a later grebe");
    asked->samples = strtoull(samples, NULL, 10);
    const bool has_posterior = *asked->posterior_text;
    return (gb_model_parse(asked->model_text, &asked->model, error, sizeof error) &&
            (!has_posterior ||
             gb_family_parse(asked->posterior_text, &asked->posterior, error, sizeof error))) ||
           gb_cli_reject("%s (if it is a plug-in of yours, give its file too)", error);
}

static const char *note_of(const gb_tape *tape, const char *name, char *text, size_t bytes)
{
    size_t count = 0;
    const char *const note = gb_tape_noted(tape, name, &count);
    const size_t kept = count < bytes ? count : bytes - 1;
    if (note)
        memcpy(text, note, kept);
    text[note ? kept : 0] = '\0';
    return note;
}

gb_cli_code gb_cli_saved_read(gb_cli_saved *saved, gb_tape *tape, const char *path)
{
    char note[NOTE];
    const gb_checkpoint file = {.size = sizeof file, .tape = tape, .path = path, .subset = true};
    if (gb_checkpoint_load(&file) != GB_OK)
        return gb_cli_complain(tape);
    if (!note_of(tape, fit_note, note, sizeof note))
        return gb_cli_say(GB_CLI_DATA, "%s is a checkpoint, but not of `grebe fit --save`", path);
    note_of(tape, verdict_note, saved->verdict, sizeof saved->verdict);
    return read_note(&saved->asked, note) ? GB_CLI_OK : gb_cli_say(GB_CLI_DATA, "%s cannot be used", path);
}

gb_cli_code gb_cli_saved_fits(const char *path, const gb_cli_asked *asked)
{
    gb_cli_saved saved;
    gb_tape *const t = gb_tape_new(.threads = 1);
    gb_cli_code code = gb_cli_saved_read(&saved, t, path);
    gb_tape_free(t);
    if (code == GB_CLI_OK && strcmp(saved.asked.model_text, asked->model_text) != 0)
        code = gb_cli_say(GB_CLI_DATA, "%s is of the model %s, and this is %s", path, saved.asked.model_text,
                          asked->model_text);
    else if (code == GB_CLI_OK && strcmp(saved.asked.posterior_text, asked->posterior_text) != 0)
        code = gb_cli_say(GB_CLI_DATA, "%s has the posterior %s, and this is %s", path,
                          *saved.asked.posterior_text ? saved.asked.posterior_text : "(default)",
                          *asked->posterior_text ? asked->posterior_text : "(default)");
    else if (code == GB_CLI_OK && saved.asked.samples != asked->samples)
        code = gb_cli_say(GB_CLI_DATA, "%s has steps of other --samples: %llu (0: as usual)", path,
                          (unsigned long long)saved.asked.samples);
    return code;
}
