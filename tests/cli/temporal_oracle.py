"""Random temporal multigraphs, and answers to questions about them by brute force: every sequence of edges is tried."""

import random

LARGEST = 2**63 - 1
LEAST = -(2**63)


def edges(source, vertices=5, count=12, ends=False):
    """Directed edges (u, v, time): loops, repeats, ties and negative times among them; `ends`: the ends of 64 bits too."""
    times = list(range(-6, 7)) + ([LEAST, LEAST + 1, LARGEST - 1, LARGEST] if ends else [])
    found = []
    for _ in range(count):
        u, v = source.randrange(vertices), source.randrange(vertices)
        if source.random() < 0.8:
            v = source.randrange(vertices)
        found.append((7 * u - 3, 7 * v - 3, source.choice(times)))
    if found and source.random() < 0.5:
        found += [source.choice(found)] * 2
    if source.random() < 0.3:
        found.sort(key=lambda edge: edge[2])
    return found


def weighed(items):
    """A number that shows the order of the items."""
    return sum((place + 1) * item for place, item in enumerate(items))


def by_time(rows, vertex, low, high, back=False):
    """The edges (other end, time) of a vertex with low < time <= high: by time, then in the order of the rows."""
    ends = [((u, t) if back else (v, t)) for u, v, t in rows if (v if back else u) == vertex and low < t <= high]
    return sorted(ends, key=lambda end: end[1])


def chains(rows, steps, fits):
    """How many ways there are to map the edges `steps` (such as "ab bc") to rows, vertices to different vertices, so that
    fits(times so far) is true after each of them."""
    def extend(at, names, times):
        if at == len(steps):
            return 1
        total = 0
        for u, v, t in rows:
            now = dict(names)
            if u == v or any(now.setdefault(name, end) != end for name, end in zip(steps[at], (u, v))):
                continue
            if len(set(now.values())) == len(now) and fits(times + [t]):
                total += extend(at + 1, now, times + [t])
        return total
    return extend(0, {}, [])


def ordered(window, gaps, ties=False):
    """Times that ascend, the last at most `window` after the first and each at most its gap after the one before."""
    def fits(times):
        if len(times) < 2:
            return True
        before, now = times[-2:]
        follows = before <= now if ties else before < now
        return follows and now - times[0] <= window and now - before <= gaps[len(times) - 2]
    return fits


def text(rows):
    return "# u v time\n" + "".join(f"{u} {v} {t}\n" for u, v, t in rows)


def sources(seed):
    return random.Random(seed)
