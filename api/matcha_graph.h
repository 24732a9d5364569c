/* The contents of a graph: its edges, degrees, neighbours and labels, and its files. Belongs to matcha.h; docs/api.md
 * is the manual. */
#pragma once

#include <matcha.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The facts of a graph, a sum of these. */
typedef enum matcha_graph_fact {
  MATCHA_GRAPH_DIRECTED = 1,
  MATCHA_GRAPH_VERTEX_LABELS = 2,
  MATCHA_GRAPH_EDGE_LABELS = 4, /* MATCHA_LABEL values. */
  MATCHA_GRAPH_EDGE_FLOATS = 8  /* Doubles. */
} matcha_graph_fact;
MATCHA_API int matcha_graph_facts(const matcha_graph* graph);
/* How its file was read, as JSON: `format`, `lines`, the edges that were dropped; `graphs` in the file, where vertices
 * of several have the ids `graph:vertex`; `guessed_size` if the first line was taken as a size; `text`, the line of the
 * command line. `null` for a graph of no file. The caller frees the text. */
MATCHA_API matcha_status matcha_graph_report(const matcha_graph* graph, char** json, matcha_error** error);
/* Arrays for edges, which the caller owns; `matcha_graph_edge_list` sets `count`. */
typedef struct matcha_edge_list {
  size_t count;
  int64_t* sources; /* NULL: the edges are only counted. */
  int64_t* targets;
  void* info; /* 8 bytes an edge, for its label or double; NULL: not wanted. */
} matcha_edge_list;
/* Writes the ends of all edges, ascending, with loops and parallel edges that `matcha_graph_edges` does not count; of
 * an undirected graph each edge from its smaller end. */
MATCHA_API matcha_status matcha_graph_edge_list(const matcha_graph* graph, matcha_edge_list* edges,
                                                matcha_error** error);
/* Writes the number of neighbours of each vertex, in the order of `matcha_graph_ids`. */
MATCHA_API void matcha_graph_degrees(const matcha_graph* graph, int64_t* degrees);
/* Writes the labels of its vertices, MATCHA_LABEL values; INT64_MIN: none. */
MATCHA_API void matcha_graph_vertex_labels(const matcha_graph* graph, int64_t* labels);
/* Writes the first `room` other neighbours of a vertex, ascending, each once; of a directed graph the heads of its
 * arcs. Gives their number; -1: the graph has no such vertex. */
MATCHA_API int64_t matcha_graph_neighbors(const matcha_graph* graph, int64_t vertex, int64_t* ids, size_t room);
/* Makes a random graph with the vertices, their labels and the degrees of `graph`: pairs of edges exchange their ends.
 * The same seed gives the same graph. Errors: MATCHA_ERROR_INPUT for loops, and for labels or numbers of edges. */
MATCHA_API matcha_status matcha_graph_rewired(const matcha_graph* graph, uint64_t seed, matcha_graph** made,
                                              matcha_error** error);
/* Compares the counts of programs with those in `samples` random graphs, which `matcha_graph_rewired` makes for the
 * seeds from `seed` on: a run in the background, as matcha_start. Each program gives a count or several. The result is
 * a list with a row a count: the count, an int, of all rows a float if one is beyond int64; floats: the mean and the
 * standard deviation of the random graphs; z, (count - mean) / deviation; the shares of graphs, this one among them,
 * that have at least, and at most, as many. matcha_progress counts random graphs. If the graph has a list `times`
 * (matcha_graph_with_list), each random graph is the same with its items in another order. */
MATCHA_API matcha_status matcha_graph_significance(matcha_graph* graph, matcha_program* const* programs, size_t count,
                                                   uint64_t samples, uint64_t seed, const matcha_options* options,
                                                   matcha_run** run, matcha_error** error);
/* Writes a file in the format of its name: .mtg, .txt, .csv, .tsv, .mtx or .graph. `labels_path`, which may be NULL, is
 * for the labels of vertices. If writing fails, no file is left. */
MATCHA_API matcha_status matcha_graph_write(const matcha_graph* graph, const char* path, const char* labels_path,
                                            matcha_error** error);
/* The same with names instead of the ids 0, 1, …, which the vertices have. `count` names, a name each, not empty
 * and strictly ascending by bytes. Errors also: MATCHA_ERROR_USAGE for other ids or names. */
MATCHA_API matcha_status matcha_graph_write_named(const matcha_graph* graph, const char* const* names, size_t count,
                                                  const char* path, const char* labels_path, matcha_error** error);

#ifdef __cplusplus
}
#endif
