# Quoted words name labels and nothing else.

def main(g: Graph):
# expected-error@+1 {{a quoted word names a label; here a number is needed [label-place]}}
    a = 'x' + 1
# expected-error@+1 {{a quoted word names a label; here a number is needed [label-place]}}
    b = vertex_label(g, 1) < 'x'
# expected-error@+1 {{a quoted word names a label; here a number is needed [label-place]}}
    c = size(neighbor(g, "a word"))
    fine = size(apply(lambda v: v, cond=lambda v: vertex_label(g, v) == 'a word', vertices(g)))
    return a + c + fine if b else 0
