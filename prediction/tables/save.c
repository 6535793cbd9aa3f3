/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A prediction to a file, which is written whole or not at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/array/npy_impl.h"
#include "models/checkpoint/file_impl.h"
#include "prediction/predict/prediction_impl.h"

static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path), of_end = strlen(end);
    return length >= of_end && strcmp(path + length - of_end, end) == 0;
}

static gb_status write_file(const gb_own_prediction *p, const char *path, const void *bytes, size_t length)
{
    char why[GB_SAVED_WHY];
    const gb_status status = gb_file_write(&p->memory, path, bytes, length, why);
    return status == GB_OK ? status : gb_fail(p->tape, status, "prediction_save: %s: %s", path, why);
}

static gb_status save_csv(const gb_own_prediction *p, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const stream = open_memstream(&text, &length);
    gb_status status = stream ? gb_prediction_csv(&p->shown, stream) : GB_ESYSTEM;
    if (stream && fclose(stream) != 0)
        status = GB_ESYSTEM;
    status = status == GB_OK
                 ? write_file(p, path, text, length)
                 : gb_fail(p->tape, GB_ENOMEM, "prediction_save: out of memory for %zu rows", p->shown.rows);
    free(text);
    return status;
}

static gb_status save_npy(const gb_own_prediction *p, const char *path)
{
    const gb_prediction *const s = &p->shown;
    const size_t bytes = s->draws * s->rows * s->elements * sizeof(double);
    char head[GB_NPY_BEGIN];
    const size_t used = gb_npy_begin(
        GB_NUMBER_DOUBLE, gb_shape((int64_t)s->draws, (int64_t)s->rows, (int64_t)s->elements), head);
    char *const file = gb_memory_resize(&p->memory, NULL, used + bytes);
    if (!file)
        return gb_fail(p->tape, GB_ENOMEM, "prediction_save: out of memory for %zu draws", s->draws);
    memcpy(file, head, used);
    memcpy(file + used, s->draw, bytes);
    const gb_status status = write_file(p, path, file, used + bytes);
    gb_memory_release(&p->memory, file);
    return status;
}

gb_status gb_prediction_save(const gb_prediction *prediction, const char *path)
{
    const gb_own_prediction *const p = (const void *)prediction;
    if (!p || gb_error(p->tape) != GB_OK)
        return p ? gb_error(p->tape) : GB_EARGUMENT;
    if (path && ends_with(path, ".csv"))
        return save_csv(p, path);
    if (!path || !ends_with(path, ".npy"))
        return gb_fail(p->tape, GB_EARGUMENT,
                       "prediction_save: the path is %s, and must end with .csv or .npy",
                       path ? path : "NULL");
    if (!prediction->draw)
        return gb_fail(p->tape, GB_EARGUMENT,
                       "prediction_save: .npy has the draws, and this prediction did not keep them: "
                       "gb_predictive(…, .keep_draws = true)");
    return save_npy(p, path);
}
