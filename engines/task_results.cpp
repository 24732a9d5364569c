#include <string>
#include <vector>

#include "engines/cliques/clique_task.h"
#include "engines/identities/motif_counter.h"
#include "engines/identities/orbit_task.h"

/// The names of the results of tasks, which are known before an engine runs.
namespace matcha::codegen {

namespace motif = runtime::motif;

std::vector<std::string> CliqueTask::columns() const {
  std::vector<std::string> names = {"vertex"};
  if (per == Per::Edge) names = {"u", "v"};
  if (size == 0) names.emplace_back("size");
  names.emplace_back("cliques");
  return names;
}

std::vector<std::string> OrbitTask::columns() const {
  std::vector<std::string> names = by_edge ? std::vector<std::string>{"u", "v"} : std::vector<std::string>{"vertex"};
  for (const motif::Orbit& orbit : orbits()) names.emplace_back(orbit.name);
  return names;
}

std::span<const motif::Orbit> OrbitTask::orbits() const {
  return by_edge ? motif::edge_orbits(vertices) : motif::vertex_orbits(vertices);
}

motif::MotifSet MotifTask::wanted() const {
  motif::MotifSet motifs;
  for (const std::vector<MotifTerm>& terms : results) {
    for (const MotifTerm& term : terms) motifs[motif::at(term.motif)] = true;
  }
  return motifs;
}

}  // namespace matcha::codegen
