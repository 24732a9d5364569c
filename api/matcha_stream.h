/* Streams of libmatcha: programs on a changing graph. Belongs to matcha.h; docs/api.md is the manual. */
#pragma once

#include <matcha.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct matcha_stream matcha_stream;

/* Opens a stream that maintains the answers of programs and patterns while its graph changes. The stream starts with a
 * copy of `graph`. Ids are int64, or the ints of MATCHA_NAME values; new vertices may have any other int. `options` may
 * be NULL; it reads `recompute`, `strict`, `threads` and `simd`. Errors: those of a program; MATCHA_ERROR_USAGE if a
 * program reads floats of edges. Calls for one stream must come one at a time, from any thread. */
MATCHA_API matcha_status matcha_stream_open(const matcha_program* const* programs, size_t count,
                                            const matcha_graph* graph, const matcha_options* options,
                                            matcha_stream** stream, matcha_error** error);
/* Opens a stream of the lines of a table, as docs/streams.md describes under "Tables with conditions": patterns with
 * conditions on columns, and others. Lines come by `matcha_stream_put_lines`, the first of which has the names of the
 * columns; `matcha_stream_put` is not for them. Beside the options of patterns `options` reads `directed`, `src`,
 * `dst`, `time`, `window`, `edge-id`, `edge-label`, `ids`, `vertices`, `id`, `label`, `labels`, `matches` and
 * `recompute`. After an error of a line the stream is unusable. */
MATCHA_API matcha_status matcha_stream_open_table(const char* const* patterns, size_t count,
                                                  const matcha_options* options, matcha_stream** stream,
                                                  matcha_error** error);
typedef enum matcha_update {
  MATCHA_ADD_EDGE = 1,
  MATCHA_REMOVE_EDGE = 2,  /* With all its labels. */
  MATCHA_ADD_VERTEX = 3,   /* Or change the label of an existing one. */
  MATCHA_REMOVE_VERTEX = 4 /* With its edges. */
} matcha_update;
/* Adds `count` updates to the next batch, in order: edges between `first` and `second`; or vertices `first`, with
 * labels `second` if they are added (NULL items: none). The columns are read during the call. The ends of added edges
 * become vertices. */
MATCHA_API matcha_status matcha_stream_put(matcha_stream* stream, matcha_update kind, const matcha_column* first,
                                           const matcha_column* second, size_t count, matcha_error** error);
/* The same as text of `bytes` bytes, in lines: `+ u v [label]`, `- u v [label]`, `v id [label]`, `-v id`. An error
 * (MATCHA_ERROR_INPUT) has the number of its line; no update is added then. */
MATCHA_API matcha_status matcha_stream_put_lines(matcha_stream* stream, const char* text, size_t bytes,
                                                 matcha_error** error);
/* Starts to apply the added updates as a batch and to compute answers. `options` may be NULL; it reads `timeout` and
 * the canceller. matcha_wait, matcha_cancel and matcha_finish work as for other runs: the result has the totals of all
 * programs in order, for lists their sizes. Without updates it answers for the present graph. With `strict`, an update
 * without effect is MATCHA_ERROR_INPUT, and the batch is dropped. After any other failure, and after a stop, the stream
 * is unusable. */
MATCHA_API matcha_status matcha_stream_apply(matcha_stream* stream, const matcha_options* options, matcha_run** run,
                                             matcha_error** error);
/* The effect of the last batch, as the JSON object `matcha.stream/1` of docs/streams.md. The caller frees the text. */
MATCHA_API matcha_status matcha_stream_answer(matcha_stream* stream, size_t program, char** json, matcha_error** error);
/* The rows added and removed by the last batch, for a program that returns a list or a pattern with `matches`. The last
 * column is 1 for an added row, -1 for a removed one; no row is both. The caller frees them. */
MATCHA_API matcha_status matcha_stream_changes(matcha_stream* stream, size_t program, matcha_rows** rows,
                                               matcha_error** error);
/* The same as a JSON object with the ids of vertices and edges as they were given: `columns`, their names, and the
 * arrays `added` and `removed` of rows, ascending. The caller frees the text. */
MATCHA_API matcha_status matcha_stream_changes_json(matcha_stream* stream, size_t program, char** json,
                                                    matcha_error** error);
/* A running batch keeps its data; cancel it first. */
MATCHA_API void matcha_stream_free(matcha_stream* stream);

#ifdef __cplusplus
}
#endif
