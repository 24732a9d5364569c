// Runs statements in DuckDB or Kùzu, from their npm packages, and times queries.
// usage: node bench/edge_labels_peers.mjs MODULES duckdb|kuzu THREADS TIMEOUT_S TIMES < JSON
// JSON: {"setup": [statement…], "queries": [{"name": …, "text": …}…]}; each query gives one number. Prints one line of JSON for the setup and one
// for each query: its count and the milliseconds of its first run and of TIMES more, until the count is there; or its error. Where these take long, it is
// run twice.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

const [modules, system, threads, timeout, times] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(modules), "none.js"));
const limit_ms = 1000 * Number(timeout);
const long_ms = 3000;

async function duckdb() {
  const { DuckDBInstance, version } = load("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", { threads });
  const connection = await instance.connect();
  return {
    version: version(),
    run: async (text) => {
      const timer = setTimeout(() => connection.interrupt(), limit_ms);
      try {
        return (await connection.runAndReadAll(text)).getRows()[0]?.[0];
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function kuzu() {
  const { Database, Connection, VERSION } = load("kuzu");
  const connection = new Connection(new Database(":memory:"), Number(threads));
  return {
    version: VERSION,
    limit: () => connection.setQueryTimeout(limit_ms),
    run: async (text) => {
      const result = await connection.query(text);
      const rows = await result.getAll();
      result.close();
      return rows.length ? Object.values(rows[0])[0] : undefined;
    },
  };
}

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const database = await (system === "duckdb" ? duckdb() : kuzu());
const task = JSON.parse(readFileSync(0, "utf8"));
const started = performance.now();
for (const statement of task.setup) await database.run(statement);
say({ version: database.version, setup_ms: performance.now() - started });
if (database.limit) await database.limit();
for (const { name, text } of task.queries) {
  try {
    const ms = [];
    let count;
    const began = performance.now();
    for (let time = 0; time < 2 || (time <= Number(times) && performance.now() - began < long_ms); ++time) {
      const start = performance.now();
      const found = Number(await database.run(text));
      ms.push(performance.now() - start);
      if (time && found !== count) throw new Error(`${count}, then ${found}`);
      count = found;
    }
    say({ name, count, ms });
  } catch (error) {
    say({ name, error: String(error.message ?? error).split("\n")[0] });
  }
}
process.exit(0);
