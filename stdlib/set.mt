"""Set operations beyond `intersect` and `diff`. Repeats stay as they are in the lists."""

def union(a, b):
    """The items of `a`, then those of `b` that are not in `a`."""
    return flatten([a, diff(b, a)])

def symdiff(a, b):
    """The items of `a` that are not in `b`, then those of `b` that are not in `a`."""
    return flatten([diff(a, b), diff(b, a)])

def is_subset(a, b):
    """Whether all items of `a` are in `b`."""
    return size(diff(a, b)) == 0
