"""All small patterns, for tests that try each."""

import itertools


def connected_patterns(size):
    """The connected graphs with `n` vertices, one of each isomorphism class, as lists of edges."""
    pairs = list(itertools.combinations(range(size), 2))
    seen, found = set(), []
    for chosen in itertools.chain.from_iterable(itertools.combinations(pairs, k) for k in range(size - 1, len(pairs) + 1)):
        reached = {0}
        for _ in range(size):
            reached |= {v for edge in chosen if reached & set(edge) for v in edge}
        key = min(tuple(sorted(tuple(sorted((turn[u], turn[v]))) for u, v in chosen)) for turn in itertools.permutations(range(size)))
        if len(reached) == size and key not in seen:
            seen.add(key)
            found.append(chosen)
    return found
