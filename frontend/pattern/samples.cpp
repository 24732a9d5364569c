#include "frontend/pattern/samples.h"

#include "frontend/pattern/symmetry.h"

namespace matcha::frontend::pattern {

MatchSamples::Found MatchSamples::of(const Pattern& pattern) {
  const CanonicalForm form = canonical_form(pattern);
  Found found;
  found.column.resize(form.vertices.size());
  for (std::size_t i = 0; i < form.vertices.size(); ++i) {
    found.column[static_cast<std::size_t>(form.vertices[i])] = static_cast<int>(i);
  }
  const auto [known, fresh] = by_key_.try_emplace(form.key);
  if (fresh) known->second = sampler_->draw(renumbered(pattern, form.vertices));
  found.sample = &known->second;
  return found;
}

}  // namespace matcha::frontend::pattern
