// What node_child.mjs reads from the source of a cell: its `import` and `export` statements, which scripts do not know,
// and whether it ends by writing to a stream.

// The code, as long as it was, with the insides of strings, templates and regular expressions and all comments blanked
// out, so that what stands in them is not taken for code.
function bare(code) {
  const out = code.split("");
  const open = []; // templates that we are inside of: how many braces of their expression are open
  const before = /^(?:[=([{},;:!&|?+\-*%^~<>]?|return|typeof|case|in|of|delete|void|throw|new|do|else|await|yield)$/;
  let token = ""; // the last one: after some a slash begins a regular expression
  let at = 0;
  const blankTo = (end, from = at) => {
    for (let i = from; i < end && i < out.length; i += 1) if (out[i] !== "\n") out[i] = " ";
  };
  const quoted = (ends, start) => {
    let i = start;
    while (i < code.length && !ends(i)) i += code[i] === "\\" ? 2 : 1;
    return i;
  };
  while (at < code.length) {
    const sign = code[at];
    const rest = code.slice(at, at + 2);
    let end = at + 1;
    if (rest === "//" || rest === "/*" || (at === 0 && rest === "#!")) {
      const found = code.indexOf(rest === "/*" ? "*/" : "\n", at + 2);
      end = found < 0 ? code.length : found + (rest === "/*" ? 2 : 0);
      blankTo(end);
    } else if (sign === '"' || sign === "'") {
      end = quoted((i) => code[i] === sign || code[i] === "\n", at + 1) + 1;
      blankTo(end - 1, at + 1);
      token = sign;
    } else if (sign === "`" || (sign === "}" && open.at(-1) === 0)) {
      if (sign === "}") open.pop();
      const stop = quoted((i) => code[i] === "`" || code.startsWith("${", i), at + 1);
      blankTo(stop, at + 1);
      if (code[stop] === "$") open.push(0);
      end = stop + (code[stop] === "$" ? 2 : 1);
      token = code[stop] === "$" ? "{" : "`";
    } else if (sign === "/" && before.test(token)) {
      let inClass = false;
      const stop = quoted((i) => {
        if (code[i] === "[") inClass = true;
        else if (code[i] === "]") inClass = false;
        return code[i] === "\n" || (code[i] === "/" && !inClass);
      }, at + 1);
      if (code[stop] === "/") {
        blankTo(stop, at + 1);
        end = stop + 1;
      }
      token = "/";
    } else if (/[\w$]/.test(sign)) {
      token = /^[\w$]+/.exec(code.slice(at, at + 200))[0];
      end = at + token.length;
    } else if (!/\s/.test(sign)) {
      if (sign === "{" && open.length) open[open.length - 1] += 1;
      if (sign === "}" && open.length) open[open.length - 1] -= 1;
      token = sign;
    }
    at = end;
  }
  return out.join("");
}

// Scripts know no `import` and `export` statements and Node gives them no dynamic import: they become what does the same.
// Only these words are changed, where they begin a statement; line numbers stay.
export function withImports(code) {
  if (!/\b(?:import|export)\b/.test(code)) return code;
  const start = String.raw`(?<=^[ \t]*|;[ \t]*)`;
  const from = String.raw`from\s*(["'] *["'])(?:\s*(?:with|assert)\s*(\{[^}]*\}))?;?`;
  const names = String.raw`(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)\s*|(\{[^}]*\})\s*)?`;
  const calls = [];
  const note = (pattern, word) => {
    for (const found of bare(code).matchAll(new RegExp(pattern, "dgm"))) {
      const [from, to] = found.indices[0];
      const parts = found.indices.slice(1).map((range) => range && code.slice(...range));
      if (!calls.some((one) => from < one.to && to > one.from)) calls.push({ from, to, text: word(parts) });
    }
  };
  const exportsIn = (list) => {
    const parts = list.slice(1, -1).replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, "").split(",");
    return parts.map((one) => one.trim().split(/\s+as\s+/)[0]).filter(Boolean).map((one) => (/^["']/.test(one) ? one : `"${one}"`));
  };
  const named = (list) => list.replace(/([\w$]+|"[^"]*"|'[^']*')\s+as\s+/g, "$1: ");
  note(String.raw`${start}import\s+${names}${from}`, ([first, all, some, name, how]) => {
    const taken = some ? exportsIn(some) : [];
    if (first) taken.push('"default"');
    const wanted = taken.length ? `, [${taken.join(", ")}]` : "";
    const call = `await __oi_import(${name}${how || wanted ? `, ${how ? `{ with: ${how} }` : "undefined"}` : ""}${wanted})`;
    if (all) return `const ${all} = ${call}${first ? `, ${first} = ${all}.default` : ""};`;
    const parts = [first && `default: ${first}`, some && named(some.slice(1, -1).replace(/,\s*$/, ""))].filter(Boolean);
    return `const { ${parts.join(", ")} } = ${call};`;
  });
  note(String.raw`${start}import\s*(["'] *["']);?`, ([name]) => `await __oi_import(${name});`);
  note(String.raw`(?<![\w$.])import(?=\s*\()`, () => "__oi_import");
  note(String.raw`(?<![\w$.])import\s*\.\s*meta\b`, () => "__oi_meta");
  note(String.raw`${start}export\s+(?:\*[^;\n]*?|\{[^}]*\}\s*)${from}`, ([name]) => `await __oi_import(${name});`);
  note(String.raw`${start}export\s*\{[^}]*\};?`, () => "");
  note(String.raw`${start}export\s+(?:default\s+)?(?=(?:async\s+)?(?:function\b\s*\*?|class\b)\s*(?!extends\b)[\w$])`, () => "");
  note(String.raw`${start}export\s+default\b`, () => "const _default =");
  note(String.raw`${start}export\s+(?=(?:const|let|var)\b)`, () => "");
  let made = "";
  let at = 0;
  for (const { from, to, text } of calls.sort((a, b) => a.from - b.from)) {
    const lines = code.slice(from, to).split("\n").length - text.split("\n").length;
    made += code.slice(at, from) + text + "\n".repeat(Math.max(lines, 0)); // later lines keep their numbers
    at = to;
  }
  return made + code.slice(at);
}

// Whether the last statement writes to a stream: what `write` returns, whether more can be written, is not its result.
export function endsWriting(code) {
  const text = bare(code).trimEnd().replace(/[;\s]+$/, "");
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    else if (depth === 0 && (sign === ";" || sign === "\n")) start = at + 1;
  }
  return /\.\s*write\s*\(/.test(text.slice(start));
}
