/* Counts a pattern in a graph file: count GRAPH PATTERN. What docs/api.md shows. */
#include <inttypes.h>
#include <matcha.h>
#include <stdio.h>

static int fail(matcha_status status, matcha_error* error) {
  fprintf(stderr, "%s", error != NULL ? matcha_error_text(error) : "stopped\n");
  matcha_error_free(error);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: count GRAPH PATTERN\n");
    return MATCHA_ERROR_USAGE;
  }
  matcha_error* error = NULL;
  matcha_graph* graph = NULL;
  matcha_program* program = NULL;
  matcha_result* result = NULL;
  matcha_status status = matcha_graph_read(argv[1], NULL, &graph, &error);
  if (status == MATCHA_OK) status = matcha_program_pattern(argv[2], NULL, &program, &error);
  if (status == MATCHA_OK) status = matcha_run_now(program, graph, NULL, &result, &error);
  if (status == MATCHA_OK) printf("%" PRId64 "\n", matcha_result_int(result, 0, NULL));
  matcha_result_free(result);
  matcha_program_free(program);
  matcha_graph_free(graph);
  return status == MATCHA_OK ? 0 : fail(status, error);
}
