// TypeScript for node_child.mjs: takes the types out of a cell, and knows which line a line of what remains was.

import { execFileSync } from "node:child_process";
import module, { createRequire } from "node:module";

const maps = new Map(); // of cells whose lines have moved

// The cell `name` as JavaScript: by Node, or by esbuild, itself or the one that tsx brings ("" for Node).
// Imports stay as they are written, since the next cell may use what this one only brought in.
export function withoutTypes(code, compiler, name) {
  const made = compiler ? byEsbuild(code, compiler) : byNode(code);
  const found = /\n\/\/# sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,(\S+)\s*$/.exec(made);
  if (!found) return made;
  maps.set(name, new module.SourceMap(JSON.parse(Buffer.from(found[1], "base64").toString())));
  return made.slice(0, found.index);
}

// Types alone are blanked out, so that everything stays in its place; enums and the like have to be rewritten.
function byNode(code) {
  try {
    return module.stripTypeScriptTypes(code);
  } catch (error) {
    if (error.code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw error;
    return module.stripTypeScriptTypes(code, { mode: "transform", sourceMap: true });
  }
}

function byEsbuild(code, compiler) {
  const raw = JSON.stringify({ compilerOptions: { verbatimModuleSyntax: true, target: "es2022" } });
  if (!/[\\/]esbuild$/.test(compiler)) {
    const options = { loader: "ts", tsconfigRaw: raw, target: "es2022", sourcemap: "inline" };
    return createRequire(compiler)("esbuild").transformSync(code, options).code;
  }
  const options = { input: code, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] };
  const how = ["--loader=ts", `--tsconfig-raw=${raw}`, "--target=es2022", "--sourcemap=inline", "--log-level=error"];
  return execFileSync(compiler, how, options);
}

// A text with places in cells, `cell-3:2:9`, where each is what the person has written.
export function asWritten(text) {
  return text.replace(/\b(cell-\d+):(\d+):(\d+)/g, (place, name, line, column) => {
    const found = maps.get(name)?.findEntry(Number(line) - 1, Number(column) - 1);
    return found?.originalLine === undefined ? place : `${name}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

// What a compiler says about code that it cannot read, as one syntax error.
export function refused(error) {
  const [known] = error.errors ?? [];
  if (known?.location) return `SyntaxError: ${known.text}\n    at line ${known.location.line}, column ${known.location.column + 1}`;
  const shown = /^.*:(\d+)\n(?:.*\n)+?( *)\^/.exec(error.stack); // Node shows the line with a mark below
  if (shown) return `SyntaxError: ${error.message}\n    at line ${shown[1]}, column ${shown[2].length + 1}`;
  const said = String(error.stderr || error.message).trim().split("\n").filter((line) => line.trim());
  const first = (said[0] ?? "").replace(/^.*?(?:ERROR\]|error:)\s*/, "");
  const where = /:(\d+):(\d+)/.exec(said.join("\n"));
  return `SyntaxError: ${first}${where ? `\n    at line ${where[1]}, column ${Number(where[2]) + 1}` : ""}`;
}
