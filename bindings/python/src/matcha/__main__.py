"""`python -m matcha`: the versions, and whether the library works."""

import sys

import matcha


def main() -> int:
    graph = matcha.Graph([0, 1, 2], [1, 2, 0])
    works = matcha.count(graph, "triangle") == 1
    print(f"libmatcha {matcha.version()}, Python {sys.version.split()[0]}: {'works' if works else 'counts wrong'}")
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
