// The client of `matcha lsp`. It starts the server and leaves the rest to it.
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const command = workspace.getConfiguration("matcha").get("path");
  client = new LanguageClient(
    "matcha",
    "Matcha",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "matcha" }] },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`Matcha: cannot start \`${command} lsp\` (${error.message}). The setting matcha.path names the program.`);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
