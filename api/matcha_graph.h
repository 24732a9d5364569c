/* The contents of a graph: its edges, degrees, neighbours and labels, and its files. Belongs to matcha.h; docs/api.md
 * is the manual. */
#pragma once

#include <matcha.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The facts of a graph. matcha_graph_facts returns the sum of those that hold. */
typedef enum matcha_graph_fact {
  MATCHA_GRAPH_DIRECTED = 1,
  MATCHA_GRAPH_VERTEX_LABELS = 2,
  MATCHA_GRAPH_EDGE_LABELS = 4, /* MATCHA_LABEL values. */
  MATCHA_GRAPH_EDGE_FLOATS = 8  /* Doubles. */
} matcha_graph_fact;
MATCHA_API int matcha_graph_facts(const matcha_graph* graph);
/* How the file of the graph was read, as JSON: `format`, `lines`, the numbers of dropped edges; `graphs`, their number
 * in the file, and if there are several, vertices have the ids `graph:vertex`; `guessed_size`, true if the first line
 * was taken as a size; `text`, the line that the command line prints. The JSON is `null` for a graph that was not read
 * from a file. The caller frees the text with matcha_text_free. */
MATCHA_API matcha_status matcha_graph_report(const matcha_graph* graph, char** json, matcha_error** error);
/* Arrays for edges. The caller allocates and owns them, each with room for `count` edges of a first call without them.
 */
typedef struct matcha_edge_list {
  size_t count;
  int64_t* sources; /* NULL, or `targets` NULL: the edges are only counted. */
  int64_t* targets;
  void* info; /* 8 bytes an edge, for its label or double; NULL: not wanted. */
} matcha_edge_list;
/* Sets `count`, and writes the ends of all edges, ascending, to the arrays. Loops and parallel edges are included,
 * unlike in `matcha_graph_edges`. An edge of an undirected graph is written once, with the smaller end as its source.
 */
MATCHA_API matcha_status matcha_graph_edge_list(const matcha_graph* graph, matcha_edge_list* edges,
                                                matcha_error** error);
/* Writes the number of neighbours of each vertex, in the order of `matcha_graph_ids`; of a directed graph, the number
 * of heads of its arcs. The array has room for all vertices. */
MATCHA_API void matcha_graph_degrees(const matcha_graph* graph, int64_t* degrees);
/* Writes the label of each vertex, a MATCHA_LABEL value, in the same order; INT64_MIN: it has none. */
MATCHA_API void matcha_graph_vertex_labels(const matcha_graph* graph, int64_t* labels);
/* Writes the first `room` neighbours of a vertex, ascending, each once and without the vertex itself; of a directed
 * graph the heads of its arcs. Returns the number of all of them, which may be more than `room`; -1: the graph has no
 * such vertex. */
MATCHA_API int64_t matcha_graph_neighbors(const matcha_graph* graph, int64_t vertex, int64_t* ids, size_t room);
/* Makes a random graph with the vertices, their labels and the degrees of `graph`: pairs of edges exchange their ends.
 * The same seed gives the same graph. Errors: MATCHA_ERROR_INPUT if the graph has loops, or labels or numbers of edges.
 */
MATCHA_API matcha_status matcha_graph_rewired(const matcha_graph* graph, uint64_t seed, matcha_graph** made,
                                              matcha_error** error);
/* Compares the counts of programs with those in `samples` random graphs, which `matcha_graph_rewired` makes for the
 * seeds from `seed` on: a run in the background, as matcha_start. Each program returns one count or several. The result
 * is a list with a row for each count. Its columns are the count, an int (a float in all rows if one count is beyond
 * int64), and five floats: the mean and the standard deviation of the counts in the random graphs; z, which is
 * (count - mean) / deviation; and the shares of graphs, this one included, whose count is at least, and at most, this
 * one. matcha_progress counts random graphs. If the graph has a list `times` (matcha_graph_with_list), each random
 * graph is the same graph with the items of that list in another order. */
MATCHA_API matcha_status matcha_graph_significance(matcha_graph* graph, matcha_program* const* programs, size_t count,
                                                   uint64_t samples, uint64_t seed, const matcha_options* options,
                                                   matcha_run** run, matcha_error** error);
/* Writes a file in the format of its name: .mtg, .txt, .csv, .tsv, .mtx or .graph. `labels_path`, which may be NULL, is
 * for the labels of vertices. If writing fails, no file is left. */
MATCHA_API matcha_status matcha_graph_write(const matcha_graph* graph, const char* path, const char* labels_path,
                                            matcha_error** error);
/* The same with a name for each vertex, for a graph with the ids 0, 1, …. There are `count` names, not empty and
 * strictly ascending by bytes. Errors also: MATCHA_ERROR_USAGE for other ids or names. */
MATCHA_API matcha_status matcha_graph_write_named(const matcha_graph* graph, const char* const* names, size_t count,
                                                  const char* path, const char* labels_path, matcha_error** error);

#ifdef __cplusplus
}
#endif
