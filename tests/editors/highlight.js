// Prints the scopes that VS Code's grammar gives to files: for each, a list of lines, each a list of [text, scope].
const fs = require("fs");
const { createRequire } = require("module");
const path = require("path");

async function main(grammarPath, files) {
  const load = createRequire(path.join(process.env.NODE_PATH, "x.js"));
  const oniguruma = load("vscode-oniguruma");
  const { Registry, INITIAL, parseRawGrammar } = load("vscode-textmate");
  const wasm = fs.readFileSync(load.resolve("vscode-oniguruma").replace(/main\.js$/, "onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(grammarPath, "utf8"), grammarPath),
  });
  const grammar = await registry.loadGrammar("source.matcha");
  const out = {};
  for (const file of files) {
    let state = INITIAL;
    out[file] = fs.readFileSync(file, "utf8").split("\n").map((line) => {
      const result = grammar.tokenizeLine(line, state);
      state = result.ruleStack;
      return result.tokens.map((token) => [line.slice(token.startIndex, token.endIndex), token.scopes[token.scopes.length - 1]]);
    });
  }
  console.log(JSON.stringify(out));
}

main(process.argv[2], process.argv.slice(3));
