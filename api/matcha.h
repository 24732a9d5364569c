/* Matcha as a library: subgraph matching from C. docs/api.md is the manual.
 *
 * Handles are opaque. Functions that can fail return a status; if `error` is not NULL, a failure stores a new error
 * there, which the caller frees. Every `..._free` accepts NULL. Many threads may use graphs and programs at the same
 * time; options, runs and results one thread at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MATCHA_API __attribute__((visibility("default")))

typedef struct matcha_error matcha_error;
typedef struct matcha_canceller matcha_canceller;
typedef struct matcha_options matcha_options;
typedef struct matcha_graph matcha_graph;
typedef struct matcha_program matcha_program;
typedef struct matcha_run matcha_run;
typedef struct matcha_result matcha_result;
typedef struct matcha_rows matcha_rows;

/* The numbers are the exit codes of the command line. */
typedef enum matcha_status {
  MATCHA_OK = 0,
  MATCHA_ERROR_PROGRAM = 1,  /* An error in the program or the pattern. */
  MATCHA_ERROR_USAGE = 2,    /* A wrong option, or an unbound parameter. */
  MATCHA_ERROR_INPUT = 3,    /* An unreadable or malformed file. */
  MATCHA_ERROR_RUN = 4,      /* A failure of the run, or a bug of Matcha. */
  MATCHA_ERROR_RESOURCE = 5, /* Memory or a limit is exhausted. */
  MATCHA_TIMEOUT = 124,      /* The option `timeout` ended the run. */
  MATCHA_CANCELLED = 130     /* `matcha_cancel` or a canceller ended it. */
} matcha_status;

typedef enum matcha_kind {
  MATCHA_INT = 1, /* Up to 128 bits. */
  MATCHA_FLOAT = 2,
  MATCHA_BOOL = 3,
  MATCHA_VERTEX = 4, /* An id from the input graph. */
  MATCHA_LIST = 5,   /* Columns of equal length. */
  MATCHA_NAME = 6,   /* A vertex whose id is not an int64: an int from 0; `matcha_graph_name` gives the id. */
  MATCHA_LABEL = 7   /* The label of an edge: an int; `matcha_graph_label` gives the word or number. */
} matcha_kind;

MATCHA_API const char* matcha_version(void); /* Such as "0.1.0". Static. */
/* The message, with its place and hint: lines of text with a newline at the end. Valid as long as the error. */
MATCHA_API const char* matcha_error_text(const matcha_error* error);
MATCHA_API void matcha_error_free(matcha_error* error);

/* Options, all unset. NULL: out of memory. */
MATCHA_API matcha_options* matcha_options_new(void);
/* Sets an option by its name on the command line, without the dashes; docs/api.md lists them. Flags take "true" and
 * "false". Repeatable options accumulate. */
MATCHA_API matcha_status matcha_options_set(matcha_options* options, const char* name, const char* value,
                                            matcha_error** error);
/* The canceller that ends calls with these options; NULL: none. */
MATCHA_API void matcha_options_set_canceller(matcha_options* options, const matcha_canceller* canceller);
MATCHA_API void matcha_options_free(matcha_options* options);

/* Ends `matcha_graph_read` and `matcha_run_now` of other threads, and runs as `matcha_cancel` does. NULL: no memory. */
MATCHA_API matcha_canceller* matcha_canceller_new(void);
/* Ends the calls with it among their options, current and later: MATCHA_CANCELLED within 100 ms. */
MATCHA_API void matcha_canceller_cancel(matcha_canceller* canceller);
/* Options that use it keep its state. */
MATCHA_API void matcha_canceller_free(matcha_canceller* canceller);

/* Reads a graph file in a format of docs/formats.md; `edges.csv:src,dst` selects these columns. `options` may
 * be NULL; it reads `timeout`, the canceller and the options of graphs that docs/api.md lists. */
MATCHA_API matcha_status matcha_graph_read(const char* path, const matcha_options* options, matcha_graph** graph,
                                           matcha_error** error);
/* A graph from `count` pairs of ids, read during the call; without loops and repeats. Reads `directed`. */
MATCHA_API matcha_status matcha_graph_from_edges(const int64_t* sources, const int64_t* targets, size_t count,
                                                 const matcha_options* options, matcha_graph** graph,
                                                 matcha_error** error);
/* Types of array items. */
typedef enum matcha_type {
  MATCHA_INT32 = 1,
  MATCHA_UINT32 = 2,
  MATCHA_INT64 = 3,
  MATCHA_UINT64 = 4,
  MATCHA_FLOAT64 = 5
} matcha_type;

/* A column of the caller: items of one type, `stride` bytes apart; 0: adjacent. `items` NULL: no column. */
typedef struct matcha_column {
  const void* items;
  int32_t type; /* A matcha_type. */
  int64_t stride;
} matcha_column;

/* A graph in columns. Unused fields are zero. Labels are numbers; with words, their indices; INT64_MIN: none, or the
 * empty word if other items have labels. A word that is a decimal number is the same label as it. */
typedef struct matcha_table {
  size_t size;                    /* sizeof(matcha_table). */
  size_t edge_count;              /* Items of the next three. */
  matcha_column sources, targets; /* Ids, ints below 2^63. */
  matcha_column edge_info;        /* Labels of edges, or floats that lie side by side. */
  const char* const* edge_words;
  size_t edge_word_count;
  size_t vertex_count;    /* Items of the next two. */
  matcha_column vertices; /* Ids of vertices, besides the ends of edges. */
  matcha_column vertex_labels;
  const char* const* vertex_words;
  size_t vertex_word_count;
  const char* const* names; /* Not NULL: ids are positions in these texts, which ascend by bytes and all occur. */
  size_t name_count;        /* Not 0 and `names` NULL: ids are positions in a list that only the caller has. */
} matcha_table;

/* Makes a graph from columns, read during the call. Loops and repeats are dropped. Edges between the same ends with
 * different information are parallel. Reads the option `directed` and the canceller, which is tested between steps. */
MATCHA_API matcha_status matcha_graph_from_table(const matcha_table* table, const matcha_options* options,
                                                 matcha_graph** graph, matcha_error** error);

/* Makes a graph from rows: the neighbours of v are items `offsets[v]` to `offsets[v + 1]` - 1 of `targets`, strictly
 * ascending, without v; ids are 0 to `vertices` - 1. `targets` has exactly `offsets[vertices]` items: the function
 * cannot check that, and reads them all. Unless `directed` is set, both directions are present. Offsets of 64 bits and
 * targets of 32 are borrowed until `release(user)` (or NULL) is called: once, by any thread, not after failures. */
MATCHA_API matcha_status matcha_graph_from_csr(uint64_t vertices, const void* offsets, matcha_type offset_type,
                                               const void* targets, matcha_type target_type,
                                               void (*release)(void* user), void* user, const matcha_options* options,
                                               matcha_graph** graph, matcha_error** error);
/* Joins graphs over one set of vertices, identified by id. Graph i is for the parameter `names[i]`; patterns, programs
 * whose only graph has another name, and the functions below use the first graph. `ids`: NULL, or for each graph other
 * ids of its vertices, ascending. MATCHA_ERROR_USAGE: a repeated name, or a graph that was joined already. */
MATCHA_API matcha_status matcha_graph_join(const char* const* names, matcha_graph* const* graphs,
                                           const int64_t* const* ids, size_t count, matcha_graph** joined,
                                           matcha_error** error);
/* A copy of a graph, or of joined graphs, with a list for the parameter `name` of programs: columns of `count` items,
 * which are copied. Vertices are ids; if ids are MATCHA_NAME, its ints. Everything else is shared with `graph`. */
MATCHA_API matcha_status matcha_graph_with_list(const matcha_graph* graph, const char* name,
                                                const matcha_column* columns, size_t column_count, size_t count,
                                                matcha_graph** made, matcha_error** error);
MATCHA_API uint64_t matcha_graph_vertices(const matcha_graph* graph);
/* Number of edges, each counted once; of a directed graph, of arcs. */
MATCHA_API uint64_t matcha_graph_edges(const matcha_graph* graph);
/* Writes the ids of its vertices, ascending; for ids that are text, the ints of MATCHA_NAME values. */
MATCHA_API void matcha_graph_ids(const matcha_graph* graph, int64_t* ids);
/* MATCHA_VERTEX: the ids are int64. MATCHA_NAME: they are text, or some exceed int64. */
MATCHA_API matcha_kind matcha_graph_id_kind(const matcha_graph* graph);
/* The id of a MATCHA_NAME value, or of an int64, as in the file: writes its first `room` - 1 bytes and a zero byte
 * to `buffer`, which may be NULL if `room` is 0, and returns its length. 0: the graph has no such vertex. */
MATCHA_API size_t matcha_graph_name(const matcha_graph* graph, int64_t vertex, char* buffer, size_t room);
/* The same for a MATCHA_LABEL value. */
MATCHA_API size_t matcha_graph_label(const matcha_graph* graph, int64_t label, char* buffer, size_t room);
/* Frees the copies of the graph on GPUs (`device`: "cuda") once no run uses them; the next run copies it again. */
MATCHA_API matcha_status matcha_graph_release(matcha_graph* graph, const char* device, matcha_error** error);
/* Programs and runs that use it keep its data. */
MATCHA_API void matcha_graph_free(matcha_graph* graph);

/* A program from its text, or a module of the library such as "std.clique", with the option `entry`. Syntax, names and
 * types are checked; it is compiled for a graph at its first run on it. `options` may be NULL; it is copied. */
MATCHA_API matcha_status matcha_program_compile(const char* text, const matcha_options* options,
                                                matcha_program** program, matcha_error** error);
/* A pattern as for `matcha run --pattern`, except files; with the option `query`, a query in SPARQL or Cypher. */
MATCHA_API matcha_status matcha_program_pattern(const char* pattern, const matcha_options* options,
                                                matcha_program** program, matcha_error** error);
/* Requires: no `matcha_run_now` with it is running. Runs that were started keep its data. */
MATCHA_API void matcha_program_free(matcha_program* program);

/* Facts of a program; the strings are valid as long as the program. The signature of its entry, such as
 * "main(G: Graph, k: int = 2) -> int"; of a pattern, a description of its matches. */
MATCHA_API const char* matcha_program_signature(const matcha_program* program);
/* The docstring of its entry, else of its file; "" if there is none, and for a pattern. */
MATCHA_API const char* matcha_program_doc(const matcha_program* program);
/* Number of column names: of its matches, or of its numbers if it is a motif or a module; else 0. */
MATCHA_API size_t matcha_program_name_count(const matcha_program* program);
MATCHA_API const char* matcha_program_name(const matcha_program* program, size_t at); /* NULL beyond the last. */
/* The matcha_kind of a column of its list parameter `name`; 0: there is no such column. */
MATCHA_API int matcha_program_list_kind(const matcha_program* program, const char* name, size_t column);
/* The edges of a pattern, or of pattern `at` of a motif, such as "0-1, 1-2". NULL beyond the last. */
MATCHA_API const char* matcha_program_edges(const matcha_program* program, size_t at);
/* A stage of its compilation as printed by `matcha build --emit`: "ast", "asg", "ir", "kernel", "llvm", "cpp", "cuda";
 * of a pattern "source", and "svg", its picture as drawn by `matcha pattern --svg`; or as JSON "query", its kind of
 * answer, and "vertices", its named vertices. To be freed. */
MATCHA_API matcha_status matcha_program_emit(const matcha_program* program, const char* stage, char** text,
                                             matcha_error** error);
/* Its plan on a graph, and the cost of a run on the CPU, as the JSON `matcha.plan/1` of docs/api.md. It runs twice.
 * `options` as for matcha_run_now. The caller frees the text. */
MATCHA_API matcha_status matcha_explain(matcha_program* program, matcha_graph* graph, const matcha_options* options,
                                        char** json, matcha_error** error);
/* The abilities of this build and machine, as the JSON of `matcha doctor --json`. The caller frees the text. */
MATCHA_API matcha_status matcha_doctor(char** json, matcha_error** error);
MATCHA_API void matcha_text_free(char* text); /* Frees a text. */

/* Runs on a graph in the calling thread and others, and returns the result. `options` may be NULL; it reads `threads`
 * and `timeout`, and the canceller. After MATCHA_TIMEOUT there may be a partial result. */
MATCHA_API matcha_status matcha_run_now(matcha_program* program, matcha_graph* graph, const matcha_options* options,
                                        matcha_result** result, matcha_error** error);
/* The same in the background. */
MATCHA_API matcha_status matcha_start(matcha_program* program, matcha_graph* graph, const matcha_options* options,
                                      matcha_run** run, matcha_error** error);
/* Waits for the end, at most `milliseconds`; negative: without limit. 1: it has ended, 0: it is running. */
MATCHA_API int matcha_wait(matcha_run* run, int64_t milliseconds);
/* Ends a run within 100 ms, from any thread. Compiling goes on in the background, for later runs. */
MATCHA_API void matcha_cancel(matcha_run* run);
/* Outermost iterations done, of `total`, in the current step; 0 of 0 before the first. Pointers may be NULL. */
MATCHA_API void matcha_progress(const matcha_run* run, uint64_t* done, uint64_t* total);
/* Waits for the end and returns the status as matcha_run_now. Gives the result and the error once. */
MATCHA_API matcha_status matcha_finish(matcha_run* run, matcha_result** result, matcha_error** error);
/* Cancels the run if it is running. */
MATCHA_API void matcha_run_free(matcha_run* run);
/* As matcha_start, for a program whose result is a list: the caller takes its rows as they are found, in no particular
 * order. Memory is bounded: the run waits for the caller. Also reads the option `limit`, the largest number of rows.
 * The result is the number of rows; it is not complete if the limit was reached. */
MATCHA_API matcha_status matcha_start_rows(matcha_program* program, matcha_graph* graph, const matcha_options* options,
                                           matcha_run** run, matcha_error** error);
/* The next block of rows; waits at most `milliseconds`; negative: without limit. 1: `rows` has one, which the caller
 * frees; 0: none came in time; -1: there are no more. matcha_finish before that ends the run and drops the others. */
MATCHA_API int matcha_next_rows(matcha_run* run, matcha_rows** rows, int64_t milliseconds);
MATCHA_API size_t matcha_rows_count(const matcha_rows* rows);
MATCHA_API size_t matcha_rows_columns(const matcha_rows* rows);
MATCHA_API matcha_kind matcha_rows_kind(const matcha_rows* rows, size_t column); /* The kind of a column's items. */
/* As matcha_result_ints and matcha_result_floats; valid as long as the block. */
MATCHA_API const int64_t* matcha_rows_ints(const matcha_rows* rows, size_t column);
MATCHA_API const double* matcha_rows_floats(const matcha_rows* rows, size_t column);
MATCHA_API void matcha_rows_free(matcha_rows* rows);

/* Number of values: 1, or the positions of a tuple; 0 if a stopped run has none. */
MATCHA_API size_t matcha_result_size(const matcha_result* result);
MATCHA_API int matcha_result_complete(const matcha_result* result); /* 0: stopped early; the values cover a part. */
MATCHA_API matcha_kind matcha_result_kind(const matcha_result* result, size_t at);
/* An int, a bool or a vertex as 64 bits; `high`, if not NULL, gets the next 64 bits of the two's complement. Counts of
 * cliques may have 256 bits: the second call gives all of them, the lowest word first, and 1 if it is negative. */
MATCHA_API int64_t matcha_result_int(const matcha_result* result, size_t at, int64_t* high);
MATCHA_API int matcha_result_words(const matcha_result* result, size_t at, uint64_t words[4]);
MATCHA_API double matcha_result_float(const matcha_result* result, size_t at); /* A float; an int is rounded. */
/* Rows and columns of a list; 0 for other values. */
MATCHA_API size_t matcha_result_rows(const matcha_result* result, size_t at);
MATCHA_API size_t matcha_result_columns(const matcha_result* result, size_t at);
/* The kind of a column's items. Requires: `column` is below matcha_result_columns. */
MATCHA_API matcha_kind matcha_result_column_kind(const matcha_result* result, size_t at, size_t column);
/* A column of ints, bools or vertices, NULL for floats; one of floats, NULL for others. Valid as long as the result. */
MATCHA_API const int64_t* matcha_result_ints(const matcha_result* result, size_t at, size_t column);
MATCHA_API const double* matcha_result_floats(const matcha_result* result, size_t at, size_t column);
/* 1: an answer by the option `within` that is estimated, and has no values: it is between interval[0] - interval[1] and
 * interval[0] + interval[1] with the chance `confidence` (95%), by interval[2] draws, of which interval[3] found a
 * match. 0: exact. */
MATCHA_API int matcha_result_interval(const matcha_result* result, double interval[4]);
/* Merges the results of all `count` shares of a run (option `share`), in any order, into exactly that of the whole run.
 * The caller keeps the shares. MATCHA_ERROR_USAGE: they are not all shares of one program's runs on one graph. */
MATCHA_API matcha_status matcha_result_merge(const matcha_result* const* shares, size_t count, matcha_result** whole,
                                             matcha_error** error);
MATCHA_API void matcha_result_free(matcha_result* result);

#ifdef __cplusplus
}
#endif
