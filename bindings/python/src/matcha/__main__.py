"""`python3 -m matcha doctor`: the abilities of this installation."""

import sys

from matcha._doctor import doctor_text


def main(words: "list[str]") -> int:
    """The exit code: 0 if patterns are counted correctly."""
    if words not in ([], ["doctor"]):
        sys.stderr.write("usage: python3 -m matcha doctor\n")
        return 2
    text = doctor_text()
    sys.stdout.write(text)
    return 0 if text.endswith("works\n") else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
