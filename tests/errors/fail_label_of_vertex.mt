def main(g: Graph):
# expected-error@+1 {{a quoted word is compared with a vertex [label-place]}}
    return size(apply(lambda v: v, cond=lambda v: v == 'a', vertices(g)))
