"""Answers small queries by the standards of SPARQL and openCypher, and makes random ones: the reference of `test_query.py`.

Nothing of this knows of patterns. A graph is a list of (source, word, target). A solution of a basic graph pattern of SPARQL is a
map of its variables and blank nodes for which every triple is one of the graph (SPARQL 1.1, 18.3). A match of Cypher is one
relationship of the graph for each of the query, no two the same (openCypher, CIP2015-relationship isomorphism).
"""

import collections


def sparql_solutions(edges, triples, differ=()):
    """Items that begin with `?` or `_:` are variables; all others are constants."""
    solutions = [{}]
    for triple in triples:
        found = []
        for solution in solutions:
            for edge in edges:
                longer = dict(solution)
                for item, value in zip(triple, edge):
                    if item[0] not in "?_":
                        if item != value:
                            break
                    elif longer.setdefault(item, value) != value:
                        break
                else:
                    found.append(longer)
        solutions = found
    return [one for one in solutions if all(one[a] != one[b] for a, b in differ)]


def cypher_matches(edges, labels, nodes, relationships, differ=()):
    """`nodes`: sets of types, of which a vertex has to have all of one, or none for any; `labels`: types of vertices with `;` between.
    `relationships`: (from, words, to, either), with no words for any. `either`: the one of
    the graph may lie the other way round. Maps of nodes, repeated for each way to choose relationships; `type(r0)` and so on are the
    words of these."""
    found = []

    def fits(image, node, vertex):
        if node in image:
            return image[node] == vertex
        return not nodes[node] or any(wanted <= set(labels[vertex].split(";")) for wanted in nodes[node])

    def choose(image, used):
        if len(used) == len(relationships):
            place(image)
            return
        source, words, target, either = relationships[len(used)]
        for number, (u, word, v) in enumerate(edges):
            if number in used or (words and word not in words):
                continue
            for begin, end in {(u, v), (v, u)} if either else [(u, v)]:
                longer = {**image, source: begin}
                if fits(image, source, begin) and fits(longer, target, end):
                    choose({**longer, target: end, f"type(r{len(used)})": word}, used + [number])

    def place(image):
        free = [node for node in nodes if node not in image]
        if free:
            for vertex in labels:
                if fits(image, free[0], vertex):
                    place({**image, free[0]: vertex})
        elif all(image[a] != image[b] for a, b in differ):
            found.append(image)

    choose({}, [])
    return found


def rows_of(found, names):
    """How often each row is there."""
    return collections.Counter(tuple(one[name] for name in names) for one in found)


def random_sparql(source, vertices, words, rows):
    """The text of a query, its triples, pairs that differ and the names of rows."""
    names = ["?a", "?b", "?c", "?d"][: source.choice([2, 3, 3, 4])]

    def end():
        kind = source.random()
        return source.choice(vertices) if kind < 0.08 else "_:x" if kind < 0.14 else source.choice(names)

    def middle():
        kind = source.random()
        return source.choice(["?p", "?q"]) if kind < 0.25 else source.choice(words + ["nothing"] * (kind > 0.97))

    triples = [(end(), middle(), end()) for _ in range(source.choice([1, 2, 2, 3, 3, 4]))]
    there = sorted({item for triple in triples for item in (triple[0], triple[2]) if item[0] == "?"})
    differ = []
    if there and source.random() < 0.3:
        differ = [(source.choice(there), source.choice(there)) for _ in range(source.randint(1, 2))]

    def spelled(item):
        return item if item[0] in "?_" else f"<{item}>"

    text = ""
    for at, (subject, predicate, target) in enumerate(triples):
        same = at > 0 and triples[at - 1][0] == subject
        text += f" ; {spelled(predicate)} {spelled(target)}" if same else f" . {spelled(subject)} {spelled(predicate)} {spelled(target)}"
    filters = "".join(f" FILTER({a} != {b})" for a, b in differ)
    there += sorted({triple[1] for triple in triples if triple[1][0] == "?"})
    shown = source.sample(there, source.randint(1, len(there))) if rows and there else []
    head = f"SELECT {' '.join(shown)}" if shown else "SELECT (COUNT(*) AS ?n)"
    return f"{head} WHERE {{ {text[3:]} .{filters} }}", triples, differ, shown


def can_differ(ways, alone):
    """The relationships of the same types between the same two nodes in a query; `ways`: the ends of each, None for both."""
    if alone and (len(ways) > 1 and (None in ways or len(set(ways)) < len(ways))):
        return False
    return len(ways) <= 2 and all(ways.count(way) == 1 for way in ways if way)


def random_cypher(source, labels, words, rows):
    """The text of a query, its nodes with labels, its relationships, pairs that differ and the names of rows."""
    names = ["a", "b", "c", "d"][: source.choice([2, 3, 3, 4])]
    nodes, relationships, taken, paths = {}, [], collections.defaultdict(list), []

    def node():
        name = source.choice(names)
        if name in nodes:
            return name, f"({name})"
        nodes[name], text = [], ""
        if source.random() < 0.3:
            sign, some = source.choice(":&|"), source.sample(labels, source.choice([1, 1, 2]))
            nodes[name] = [{one} for one in some] if sign == "|" else [set(some)]
            text = ":" + sign.join(some)
        return name, f"({name}{text})"

    while len(relationships) < source.choice([1, 2, 3]):
        here, text = node()
        for _ in range(source.choice([1, 1, 2])):
            known = set(nodes)
            there, end = node()
            chosen = () if source.random() < 0.3 else tuple(source.sample(words, source.choice([1, 1, 2])))
            either = source.random() < 0.3
            ends = (here, there) if source.random() < 0.6 else (there, here)
            ways = taken[(*sorted(ends), frozenset(chosen))]
            if chosen and not can_differ(ways + [None if either else ends], ends[0] == ends[1] or len(chosen) > 1):
                nodes = {name: nodes[name] for name in nodes if name in known}
                continue
            ways.append(None if either else ends)
            relationships.append((ends[0], chosen, ends[1], either))
            label = ":" + "|".join(f"`{word}`" for word in chosen) if chosen else f"r{len(relationships) - 1}"
            text += f"-[{label}]-{end}" if either else f"-[{label}]->{end}" if ends == (here, there) else f"<-[{label}]-{end}"
            here = there
        paths.append(text)
    there = sorted(nodes)
    differ = [tuple(source.choices(there, k=2)) for _ in range(source.randint(1, 2))] if source.random() < 0.3 else []
    where = " WHERE " + " AND ".join(f"{a} <> {b}" for a, b in differ) if differ else ""
    there += [f"type(r{number})" for number, one in enumerate(relationships) if not one[1]]
    shown = source.sample(there, source.randint(1, len(there))) if rows else []
    return f"MATCH {', '.join(paths)}{where} RETURN {', '.join(shown) or 'count(*)'}", nodes, relationships, differ, shown
