/* Queries of Cypher that are more than one pattern. Belongs to matcha.h; docs/api.md is the manual. */
#pragma once

#include <matcha.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The answer of a query on a directed graph, as JSON: `{"columns": ["a", "n"], "rows": [[{"node": 3}, 2], …]}`. The
 * query is a program of `matcha_program_pattern` with the option `query`; options `param`, `NAME=VALUE`, are its
 * parameters. Values are numbers, texts, true, false, null and arrays; `{"node": 3}` is an id, as `matcha_graph_ids`
 * has them, `{"edge": 5}` a place among the edges of `matcha_graph_edge_list`, `{"path": […]}` a node, then an edge and
 * a node for each step, `{"float": "inf"}` a number that JSON does not have. `options` may be NULL; it reads `timeout`
 * and the canceller. Errors: MATCHA_ERROR_USAGE if the program is no such query, or the graph lacks labels or edges
 * that the query reads. The caller frees the text with `matcha_text_free`. */
MATCHA_API matcha_status matcha_answer(matcha_program* program, matcha_graph* graph, const matcha_options* options,
                                       char** json, matcha_error** error);

#ifdef __cplusplus
}
#endif
