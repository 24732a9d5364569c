"""A program in front of matcha that adds one to the result when a word is on its command line."""

import os
import sys

TEXT = """#!{python}
import json, subprocess, sys
done = subprocess.run(["{matcha}", *sys.argv[1:]], capture_output=True, text=True)
text = done.stdout
if "{word}" in sys.argv:
    answer = json.loads(text)
    answer["result"] += 1
    text = json.dumps(answer)
print(text)
sys.stderr.write(done.stderr)
sys.exit(done.returncode)
"""


def liar(folder, matcha, word):
    """Its file, in a folder."""
    file = folder / "liar"
    file.write_text(TEXT.format(python=sys.executable, matcha=os.path.abspath(matcha), word=word))
    file.chmod(0o755)
    return file
