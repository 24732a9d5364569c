"""Random statements of Cypher on random property multigraphs, and their answers by brute force.

A graph is two lists of dicts: nodes with `labels`, `x`, `s` and `f`, relationships with `from`, `to`, `type`, `w` and `k`; None is null.
A statement is a list of clauses:
    ("match", is_optional, paths, condition or None)
    ("unwind", term, name)
    ("project", word, is_distinct, [(term, name)], [(term, descends)], skip, limit, condition or None)
A path is (name or None, nodes, relationships), a node (name or None, labels, {column: value}), a relationship (name or None, types,
direction `>`, `<` or `-`, (least, most) or None, {column: value}). Values are ("N", i) for a node, ("R", i) for a relationship,
("P", [...]) for a path, lists, numbers, texts, truths and None. Nothing here is shared with the program that is tested."""

import functools

TYPES, LABELS, TEXTS = ["T", "U", "V"], ["A", "B", "C"], ["a", "b", "ab", "é"]
AGGREGATES = ("count", "sum", "min", "max", "avg", "collect")


def graph(source):
    null = lambda value: None if source.random() < 0.2 else value
    nodes = [{"labels": sorted(source.sample(LABELS, source.choice([0, 1, 1, 2]))), "x": null(source.randrange(-2, 4)),
              "s": null(source.choice(TEXTS)), "f": null(source.choice([0.5, 1.0, -2.25]))} for _ in range(source.choice([1, 2, 2, 3, 4]))]
    ends = range(len(nodes))
    relationships = [{"from": source.choice(ends), "to": source.choice(ends), "type": source.choice(TYPES[: source.choice([1, 2, 3])]),
                      "w": null(source.randrange(4)), "k": null(source.choice(TEXTS))} for _ in range(source.choice([0, 2, 3, 4, 5, 6]))]
    return nodes, relationships


def graph_without_repeats(source):
    """No two relationships have the same ends and type; they are in the order of a graph in memory."""
    nodes, relationships = graph(source)
    kept = {(one["from"], one["to"], one["type"]): one for one in relationships}
    return nodes, [kept[key] for key in sorted(kept, key=lambda key: (key[0], key[1], [-ord(letter) for letter in key[2]]))]


# ---------------------------------------------------------------- values
def rank(value):
    if value is None:
        return 8
    if isinstance(value, bool):
        return 6
    if isinstance(value, (int, float)):
        return 7
    if isinstance(value, str):
        return 5
    if isinstance(value, list):
        return 2
    return {"N": 0, "R": 1, "P": 3}[value[0]]


def order(a, b):
    """Of ORDER BY."""
    if rank(a) != rank(b):
        return -1 if rank(a) < rank(b) else 1
    if a is None:
        return 0
    if isinstance(a, list) or rank(a) == 3:
        one, two = (a, b) if isinstance(a, list) else (a[1], b[1])
        for left, right in zip(one, two):
            if order(left, right):
                return order(left, right)
        return (len(one) > len(two)) - (len(one) < len(two))
    one, two = (a.encode(), b.encode()) if isinstance(a, str) else (a[1], b[1]) if isinstance(a, tuple) else (a, b)
    return (one > two) - (one < two)


def equal(a, b):
    if a is None or b is None:
        return None
    if rank(a) != rank(b):
        return False
    if isinstance(a, list):
        if len(a) != len(b):
            return False
        all_ = [equal(x, y) for x, y in zip(a, b)]
        return False if False in all_ else None if None in all_ else True
    return order(a, b) == 0


def less(a, b, or_equal):
    if a is None or b is None or rank(a) != rank(b) or rank(a) < 5:
        return None
    return order(a, b) < (1 if or_equal else 0)


def key_of(value):
    """Equal for values that DISTINCT takes as one."""
    if isinstance(value, list):
        return ("list", *map(key_of, value))
    if isinstance(value, tuple):
        return (value[0], *map(key_of, value[1])) if value[0] == "P" else value
    return (rank(value), float(value) if rank(value) == 7 else value)


# ---------------------------------------------------------------- evaluation
class Evaluator:
    def __init__(self, nodes, relationships):
        self.nodes, self.relationships = nodes, relationships

    def column(self, of, name):
        return None if of is None else (self.nodes if of[0] == "N" else self.relationships)[of[1]][name]

    def value(self, term, row, group=None):
        kind, *parts = term
        if kind == "lit":
            return parts[0]
        if kind == "var":
            return row[parts[0]]
        if kind in AGGREGATES:
            return self.aggregate(term, group)
        if kind == "case":
            one, pairs, otherwise = parts
            meets = lambda term: self.value(term, row, group) is True if one is None else \
                equal(self.value(one, row, group), self.value(term, row, group)) is True
            return next((self.value(then, row, group) for when, then in pairs if meets(when)), self.value(otherwise, row, group))
        if kind == "matches":
            return any(True for _ in self.match([parts[0]], None, row))
        of = [self.value(part, row, group) if isinstance(part, tuple) and part and isinstance(part[0], str) else part for part in parts]
        if kind in ("and", "or"):
            ends = kind == "or"
            return ends if ends in of else None if None in of else not ends
        if kind == "xor":
            return None if None in of else of[0] != of[1]
        if kind == "not":
            return None if of[0] is None else not of[0]
        if kind == "=":
            return equal(*of)
        if kind == "<>":
            same = equal(*of)
            return None if same is None else not same
        if kind in ("<", "<="):
            return less(*of, kind == "<=")
        if kind == "null":
            return of[0] is None
        if kind == "list":
            return list(of)
        if kind == "coalesce":
            return next((one for one in of if one is not None), None)
        if of[0] is None:
            return None
        if kind == "in":
            if of[1] is None:
                return None
        return self.of_value(kind, *of)

    def of_value(self, kind, one, other=None):
        if kind == "prop":
            return self.column(one, other)
        if kind == "label":
            return other in self.nodes[one[1]]["labels"]
        if kind == "in":
            all_ = [equal(one, item) for item in other]
            return True if True in all_ else None if None in all_ else False
        if kind in ("starts", "ends", "contains"):
            if not isinstance(one, str) or not isinstance(other, str):
                return None
            return {"starts": one.startswith, "ends": one.endswith, "contains": one.__contains__}[kind](other)
        if kind in ("+", "-", "*"):
            return None if other is None else {"+": one + other, "-": one - other, "*": one * other}[kind]
        if kind == "abs":
            return abs(one)
        if kind == "range":
            return list(range(one, other + 1))
        if kind == "type":
            return self.relationships[one[1]]["type"]
        if kind in ("startNode", "endNode"):
            return ("N", self.relationships[one[1]]["from" if kind == "startNode" else "to"])
        if kind in ("length", "nodes", "relationships"):
            return {"length": len(one[1]) // 2, "nodes": one[1][::2], "relationships": one[1][1::2]}[kind]
        if kind == "labels":
            return list(self.nodes[one[1]]["labels"])
        return {"size": len(one), "head": one[0] if one else None, "last": one[-1] if one else None}[kind]

    def aggregate(self, term, group):
        kind, is_distinct, of = term
        if of is None:
            return len(group)
        values = [value for value in (self.value(of, row) for row in group) if value is not None]
        if is_distinct:
            values = list({key_of(value): value for value in reversed(values)}.values())[::-1]
        if kind == "count":
            return len(values)
        if kind == "sum":
            return sum(values)
        if kind == "avg":
            return sum(values) / len(values) if values else None
        if kind == "collect":
            return values
        values.sort(key=functools.cmp_to_key(order))
        return (values[0] if kind == "min" else values[-1]) if values else None

    def fits(self, of, columns, row):
        return all(equal(self.column(of, name), self.value(value, row)) is True for name, value in columns.items())

    def match(self, paths, condition, row):
        """Each row of a clause."""
        for found, _ in self.paths(paths, row, frozenset()):
            if condition is None or self.value(condition, found) is True:
                yield found

    def paths(self, paths, row, used):
        if not paths:
            yield row, used
            return
        name, nodes, relationships = paths[0]
        for found, seen, steps in self.walk(nodes, relationships, row, used):
            longer = found if name is None else {**found, name: ("P", steps)}
            yield from self.paths(paths[1:], longer, seen)

    def node(self, node, row):
        """Rows in which the node has a value, and that."""
        name, labels, columns = node
        all_ = [row[name]] if name in row else [("N", at) for at in range(len(self.nodes))]
        for one in all_:
            if one is not None and set(labels) <= set(self.nodes[one[1]]["labels"]) and self.fits(one, columns, row):
                yield (row if name is None else {**row, name: one}), one

    def walk(self, nodes, relationships, row, used):
        for found, one in self.node(nodes[0], row):
            yield from self.further(nodes, relationships, 0, found, used, [one])

    def further(self, nodes, relationships, at, row, used, steps):
        if at == len(relationships):
            yield row, used, steps
            return
        name, _, _, span, _ = relationships[at]
        least, most = span or (1, 1)
        for trail in self.trails(relationships[at], row, used, steps[-1], least, most):
            hops = trail[::2]
            value = list(hops) if span else hops[0]
            if name is not None and name in row and key_of(row[name]) != key_of(value):
                continue
            end = trail[-1] if trail else steps[-1]
            longer = row if name is None else {**row, name: value}
            for found, one in self.node(nodes[at + 1], longer):
                if one == end:
                    yield from self.further(nodes, relationships, at + 1, found, used | set(hops), steps + trail)

    def trails(self, relationship, row, used, begin, least, most):
        """Lists of relationships and nodes, one after another."""
        if least <= 0 <= most:
            yield []
        if most <= 0:
            return
        _, types, direction, _, columns = relationship
        for at, one in enumerate(self.relationships):
            hop = ("R", at)
            if hop in used or (types and one["type"] not in types) or not self.fits(hop, columns, row):
                continue
            ways = {(one["from"], one["to"])} if direction == ">" else {(one["to"], one["from"])} if direction == "<" else \
                {(one["from"], one["to"]), (one["to"], one["from"])}
            for left, right in ways:
                if ("N", left) == begin:
                    for rest in self.trails(relationship, row, used | {hop}, ("N", right), least - 1, most - 1):
                        yield [hop, ("N", right), *rest]

    def project(self, rows, clause):
        _, _, is_distinct, columns, keys, skip, limit, condition = clause
        is_grouped = any(term[0] in AGGREGATES for term, _ in columns)
        if is_grouped:
            plain = [(term, name) for term, name in columns if term[0] not in AGGREGATES]
            groups = {} if plain else {(): []}
            for row in rows:
                groups.setdefault(tuple(key_of(self.value(term, row)) for term, _ in plain), []).append(row)
            rows = [{name: self.value(term, group[0] if group else {}, group) for term, name in columns} for group in groups.values()]
            out = [(row, row) for row in rows]
        else:
            out = [({name: self.value(term, row) for term, name in columns}, row) for row in rows]
        if is_distinct:
            out = list({tuple(map(key_of, row.values())): (row, row) for row, _ in reversed(out)}.values())[::-1]
        if keys:
            def compare(a, b):
                for term, descends in keys:
                    one = order(*(self.value(term, {**old, **new}) for new, old in (a, b)))
                    if one:
                        return -one if descends else one
                return 0
            out.sort(key=functools.cmp_to_key(compare))
        out = [row for row, _ in out][skip:][:limit]
        return [row for row in out if condition is None or self.value(condition, row) is True]

    def answer(self, statement):
        rows = [{}]
        for clause in statement:
            if clause[0] == "project":
                rows = self.project(rows, clause)
                continue
            if clause[0] == "unwind":
                rows = [{**row, clause[2]: item} for row in rows for item in self.value(clause[1], row) or []]
                continue
            _, is_optional, paths, condition = clause
            fresh = {name: None for path in paths for name in names_of(path)}
            after = []
            for row in rows:
                found = list(self.match(paths, condition, row))
                after += found or ([{**fresh, **row}] if is_optional else [])
            rows = after
        return rows


def names_of(path):
    name, nodes, relationships = path
    return [one for one in [name, *(node[0] for node in nodes), *(one[0] for one in relationships)] if one is not None]


# ---------------------------------------------------------------- text
def literal(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else str(value)


def text(term):
    kind, *parts = term
    if kind == "lit":
        return literal(parts[0])
    if kind == "var":
        return parts[0]
    if kind in AGGREGATES:
        return "count(*)" if parts[1] is None else f"{kind}({'DISTINCT ' if parts[0] else ''}{text(parts[1])})"
    if kind == "matches":
        return path_text(parts[0])
    if kind == "case":
        one, pairs, otherwise = parts
        pairs = "".join(f" WHEN {text(when)} THEN {text(then)}" for when, then in pairs)
        return f"CASE{'' if one is None else ' ' + text(one)}{pairs}{'' if otherwise == ('lit', None) else ' ELSE ' + text(otherwise)} END"
    if kind == "prop":
        return f"{text(parts[0])}.{parts[1]}"
    if kind == "label":
        return f"{text(parts[0])}:{parts[1]}"
    if kind == "null":
        return f"({text(parts[0])} IS NULL)"
    if kind == "list":
        return f"[{', '.join(map(text, parts))}]"
    if kind == "not":
        return f"(NOT {text(parts[0])})"
    words = {"and": "AND", "or": "OR", "xor": "XOR", "in": "IN", "starts": "STARTS WITH", "ends": "ENDS WITH", "contains": "CONTAINS"}
    if kind in words or kind in ("=", "<>", "<", "<=", "+", "-", "*"):
        return f"({text(parts[0])} {words.get(kind, kind)} {text(parts[1])})"
    return f"{kind}({', '.join(map(text, parts))})"


def columns_text(columns):
    return " {" + ", ".join(f"{name}: {text(value)}" for name, value in columns.items()) + "}" if columns else ""


def path_text(path):
    name, nodes, relationships = path
    out = f"{name} = " if name else ""
    for at, (node, labels, columns) in enumerate(nodes):
        if at:
            rel, types, direction, span, properties = relationships[at - 1]
            length = "" if span is None else "*" if span == (1, 99) else f"*{span[0]}..{span[1]}"
            out += f"{'<' if direction == '<' else ''}-[{rel or ''}{':' + '|'.join(types) if types else ''}{length}{columns_text(properties)}]-"
            out += ">" if direction == ">" else ""
        out += f"({node or ''}{''.join(':' + label for label in labels)}{columns_text(columns)})"
    return out


def statement_text(statement):
    out = []
    for clause in statement:
        condition = None
        if clause[0] == "unwind":
            out.append(f"UNWIND {text(clause[1])} AS {clause[2]}")
        elif clause[0] == "match":
            _, is_optional, paths, condition = clause
            out.append(("OPTIONAL " if is_optional else "") + "MATCH " + ", ".join(map(path_text, paths)))
        else:
            _, word, is_distinct, columns, keys, skip, limit, condition = clause
            out.append(f"{word} {'DISTINCT ' if is_distinct else ''}" + ", ".join(f"{text(term)} AS {name}" for term, name in columns))
            if keys:
                out.append("ORDER BY " + ", ".join(text(term) + (" DESC" if descends else "") for term, descends in keys))
            out += [f"SKIP {skip}"] * (skip > 0) + [f"LIMIT {limit}"] * (limit is not None)
        if condition is not None:
            out.append("WHERE " + text(condition))
    return " ".join(out)


# ---------------------------------------------------------------- making statements
class Maker:
    """Makes a statement. `scope`: by name a kind, `node`, `rel`, `rels`, `path`, `number`, `text`, `nodes` or `any`."""

    def __init__(self, source, has_columns=True):
        self.source, self.scope, self.count, self.left, self.has_columns = source, {}, 0, 4, has_columns

    def chance(self, share):
        return self.source.random() < share

    def fresh(self, kind):
        self.count += 1
        self.scope[f"v{self.count}"] = kind
        return f"v{self.count}"

    def of(self, *kinds):
        names = [name for name, kind in self.scope.items() if kind in kinds]
        return self.source.choice(names) if names else None

    def number(self, depth=0):
        choices = [("lit", self.source.randrange(-2, 4))]
        if (name := self.of("node")) and self.has_columns:
            choices += [("prop", ("var", name), "x")] * 3
        if (name := self.of("rel")) and self.has_columns:
            choices += [("prop", ("var", name), "w")] * 3
        if name := self.of("path"):
            choices += [("length", ("var", name))]
        if name := self.of("rels", "nodes"):
            choices += [("size", ("var", name))]
        if name := self.of("number"):
            choices += [("var", name)] * 2
        if depth == 0:
            choices += [self.choice(), ("abs", self.number(1))]
            choices += [(self.source.choice("+-*"), self.number(1), self.number(1)), ("coalesce", self.number(1), self.number(1))]
        return self.source.choice(choices)

    def choice(self):
        otherwise = self.number(1) if self.chance(0.6) else ("lit", None)
        if self.chance(0.5):
            return ("case", self.number(1), [(self.number(1), self.number(1)) for _ in range(self.source.choice([1, 2]))], otherwise)
        return ("case", None, [((self.source.choice(["<", "="]), self.number(1), self.number(1)), self.number(1))], otherwise)

    def words(self):
        choices = [("lit", self.source.choice(TEXTS))]
        if (name := self.of("node")) and self.has_columns:
            choices += [("prop", ("var", name), "s")] * 2
        if name := self.of("rel"):
            choices += [("type", ("var", name))] + [("prop", ("var", name), "k")] * self.has_columns
        if name := self.of("text"):
            choices += [("var", name)]
        return self.source.choice(choices)

    def entity(self):
        choices = [("var", name) for name, kind in self.scope.items() if kind in ("node", "rel", "path", "rels", "nodes")]
        if name := self.of("rels"):
            choices += [(self.source.choice(["head", "last"]), ("var", name))]
        if name := self.of("path"):
            choices += [(self.source.choice(["nodes", "relationships"]), ("var", name))]
        if name := self.of("rel"):
            choices += [(self.source.choice(["startNode", "endNode"]), ("var", name))]
        return self.source.choice(choices) if choices else ("lit", None)

    def any(self):
        return self.source.choice([self.number, self.words, self.entity, lambda: ("lit", self.source.choice([None, True, 1.5]))])()

    def condition(self, depth=0):
        if depth < 2 and self.chance(0.4):
            kind = self.source.choice(["and", "or", "xor", "not"])
            return (kind, *(self.condition(depth + 1) for _ in range(1 if kind == "not" else 2)))
        sign = self.source.choice(["=", "<>", "<", "<="])
        choices = [lambda: (sign, self.number(), self.number()), lambda: (sign, self.words(), self.words()), lambda: (sign, self.any(), self.any()),
                   lambda: ("null", self.any()), lambda: ("in", self.any(), ("list", self.any(), self.any())),
                   lambda: (self.source.choice(["starts", "ends", "contains"]), self.words(), self.words())]
        if self.of("node"):
            choices += [lambda: ("label", ("var", self.of("node")), self.source.choice(LABELS)),
                        lambda: (self.source.choice(["=", "<>"]), ("var", self.of("node")), ("var", self.of("node"))), self.predicate]
        return self.source.choice(choices)()

    def predicate(self):
        nodes, relationships = [(self.of("node"), [], {})], []
        for _ in range(self.source.choice([1, 1, 2])):
            relationships.append((None, self.types(), self.source.choice("><-"), self.span() if self.chance(0.3) else None, {}))
            nodes.append((self.of("node") if self.chance(0.5) else None, self.labels(), {}))
        return ("matches", (None, nodes, relationships))

    def types(self):
        return self.source.sample(TYPES, self.source.choice([1, 2, 2])) if self.chance(0.3) else []

    def labels(self):
        return self.source.sample(LABELS, self.source.choice([1, 1, 1, 2])) if self.chance(0.15) else []

    def span(self):
        return self.source.choice([(0, 1), (1, 2), (0, 2), (2, 3), (1, 99), (2, 1), (0, 0), (1, 1)])

    def columns(self, *names, share=0.06):
        return {self.source.choice(names): self.number(1) if self.chance(0.7) else self.words()} if self.has_columns and self.chance(share) else {}

    def node(self, known):
        name = None
        if known and self.chance(0.5):
            name = self.source.choice(known)
        columns = self.columns("x", "s")
        if name is None and self.chance(0.7):
            name = self.fresh("node")
            known.append(name)
        return (name, self.labels(), columns)

    def clause(self):
        known = [name for name, kind in self.scope.items() if kind == "node"]
        given = {name: kind for name, kind in self.scope.items() if kind in ("rel", "rels")}
        paths = []
        for _ in range(self.source.choice([1, 1, 1, 2])):
            nodes, relationships = [self.node(known)], []
            while self.left > 0 and len(relationships) < 3 and self.chance(0.6):
                self.left -= 1
                span, name = self.span() if self.chance(0.25) else None, None
                direction, types, columns = self.source.choice("><-"), self.types(), self.columns("w", "k", share=0.25 if span else 0.06)
                fitting = [one for one, kind in given.items() if kind == ("rels" if span else "rel")]
                if fitting and self.chance(0.3):
                    name = self.source.choice(fitting)
                    del given[name]
                    if span:
                        span = (0, 99)
                elif self.chance(0.6):
                    name = self.fresh("rels" if span else "rel")
                relationships.append((name, types, direction, span, columns))
                nodes.append(self.node(known))
            paths.append((self.fresh("path") if self.chance(0.25) else None, nodes, relationships))
        is_optional = self.chance(0.35)
        return ("match", is_optional, paths, self.condition() if self.chance(0.3) else None)

    def unwind(self):
        choices = [(("list", *(self.number() for _ in range(self.source.choice([0, 1, 2])))), "number"),
                   (("range", ("lit", self.source.randrange(-1, 2)), ("lit", self.source.randrange(-1, 3))), "number"), (("lit", None), "any")]
        for kind, item in (("nodes", "node"), ("rels", "rel")):
            if name := self.of(kind):
                choices += [(("var", name), item)] * 2
        if name := self.of("path"):
            choices += [(("nodes", ("var", name)), "node"), (("relationships", ("var", name)), "rel")]
        term, kind = self.source.choice(choices)
        return ("unwind", term, self.fresh(kind))

    def aggregate(self, word):
        # The order of a list is not said, so that nothing is made of it.
        kind = self.source.choice(AGGREGATES[: 5 if word == "WITH" else 6])
        if kind == "count" and self.chance(0.5):
            return ("count", False, None), "number"
        of = self.number() if kind in ("sum", "avg", "min", "max") else self.any()
        return (kind, self.chance(0.3), of), "any" if kind == "collect" else "number"

    def projection(self, word):
        columns, scope = [], {}
        is_grouped = self.chance(0.35)
        for name in [name for name in self.scope if self.chance(0.4)]:
            columns.append((("var", name), name))
            scope[name] = self.scope[name]
        for _ in range(self.source.choice([0, 1, 1, 2])):
            term, kind = (self.number(), "number") if self.chance(0.6) else (self.words(), "text")
            self.count += 1
            columns.append((term, f"c{self.count}"))
            scope[f"c{self.count}"] = kind
        for _ in range(self.source.choice([1, 2]) if is_grouped or not columns else 0):
            term, kind = self.aggregate(word)
            self.count += 1
            columns.append((term, f"c{self.count}"))
            scope[f"c{self.count}"] = kind
        keys, skip, limit, is_of_rows = [], 0, None, False
        if self.chance(0.35) and "any" not in scope.values():
            keys = [(("var", name), self.chance(0.5)) for _, name in self.source.sample(columns, len(columns))]
            if self.chance(0.3) and not any(term[0] in AGGREGATES for term, _ in columns):
                keys.insert(0, (self.number(), self.chance(0.5)))
                is_of_rows = True
            skip, limit = self.source.choice([0, 0, 1, 2]), self.source.choice([None, None, 1, 2, 5, 0] if self.chance(0.1) else [None, 2, 5])
        is_distinct = self.chance(0.25) and not is_of_rows
        self.scope = scope
        condition = self.condition() if word == "WITH" and self.chance(0.3) else None
        return ("project", word, is_distinct, columns, keys, skip, limit, condition)

    def statement(self):
        out = []
        for part in range(self.source.choice([1, 1, 1, 2, 2, 3])):
            if part:
                out.append(self.projection("WITH"))
            for _ in range(self.source.choice([1, 1, 1, 2])):
                out += [self.unwind()] if self.chance(0.15) else []
                out += [self.clause()]
            out += [self.unwind()] if self.chance(0.15) else []
        return out + [self.projection("RETURN")]


def union(source):
    """Two or three statements with the same columns, and whether repeats are kept."""
    statements, columns = [], source.choice([1, 2])
    while len(statements) < source.choice([2, 2, 3]):
        *clauses, (_, word, is_distinct, projected, *_) = Maker(source).statement()
        if len(projected) == columns and not any(term[0] == "collect" for term, _ in projected):
            names = [(term, f"u{at}") for at, (term, _) in enumerate(projected)]
            statements.append([*clauses, ("project", word, is_distinct, names, [], 0, None, None)])
    return statements, source.random() < 0.5


def union_answer(nodes, relationships, statements, keeps):
    rows = [list(row.values()) for statement in statements for row in Evaluator(nodes, relationships).answer(statement)]
    return rows if keeps else list({tuple(map(key_of, row)): row for row in rows}.values())
