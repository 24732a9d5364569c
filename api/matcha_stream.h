/* Streams of libmatcha: programs on a graph that changes. Belongs to matcha.h; docs/api.md is the manual. */
#pragma once

#include <matcha.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct matcha_stream matcha_stream;

/* Programs and patterns that keep their answers while a graph changes. It begins as `graph` is, which itself stays as
 * it is; ids are int64, or the ints of MATCHA_NAME values, and vertices that come may have any other int. `options` may
 * be NULL; it reads `recompute`, `strict`, and what runs read: `threads`, `simd`. Errors: those of a program; of usage,
 * where it reads floats of edges. Calls for one stream come one at a time, from any thread. */
MATCHA_API matcha_status matcha_stream_open(const matcha_program* const* programs, size_t count,
                                            const matcha_graph* graph, const matcha_options* options,
                                            matcha_stream** stream, matcha_error** error);
typedef enum matcha_update {
  MATCHA_ADD_EDGE = 1,
  MATCHA_REMOVE_EDGE = 2,  /* With all its labels. */
  MATCHA_ADD_VERTEX = 3,   /* Or give one that is there another label. */
  MATCHA_REMOVE_VERTEX = 4 /* With its edges. */
} matcha_update;
/* Puts `count` updates into the next batch, in their order: edges between `first` and `second`; vertices `first`, with
 * labels `second` where they come, NULL items: none. The columns are read during the call. Ends of edges that come are
 * vertices from then on. */
MATCHA_API matcha_status matcha_stream_put(matcha_stream* stream, matcha_update kind, const matcha_column* first,
                                           const matcha_column* second, size_t count, matcha_error** error);
/* The same as text of so many bytes, in lines: `+ u v [label]`, `- u v [label]`, `v id [label]`, `-v id`. An error
 * (MATCHA_ERROR_INPUT) has the number of its line, and none of them is put. */
MATCHA_API matcha_status matcha_stream_put_lines(matcha_stream* stream, const char* text, size_t bytes,
                                                 matcha_error** error);
/* Begins to make a batch of the updates that were put, and to answer; `options` may be NULL, and has `timeout` and the
 * canceller. matcha_wait, matcha_cancel and matcha_finish are as for other runs: the result has the totals of all
 * programs, one after the other, of lists their sizes. Before the first update it answers for the graph as it is. With
 * `strict`, an update that changes nothing is MATCHA_ERROR_INPUT, and the batch is dropped. After any other failure,
 * and when it was stopped, the stream is of no more use. */
MATCHA_API matcha_status matcha_stream_apply(matcha_stream* stream, const matcha_options* options, matcha_run** run,
                                             matcha_error** error);
/* What the last batch did, as the JSON object `matcha.stream/1` of docs/cli.md. The caller frees the text. */
MATCHA_API matcha_status matcha_stream_answer(matcha_stream* stream, size_t program, char** json, matcha_error** error);
/* The rows that came and went with the last batch, of a program that returns a list and of a pattern with `matches`;
 * the last column is 1 or -1. Each is on one side only. The caller frees them. */
MATCHA_API matcha_status matcha_stream_changes(matcha_stream* stream, size_t program, matcha_rows** rows,
                                               matcha_error** error);
/* A batch that goes on keeps what it needs; cancel it first. */
MATCHA_API void matcha_stream_free(matcha_stream* stream);

#ifdef __cplusplus
}
#endif
