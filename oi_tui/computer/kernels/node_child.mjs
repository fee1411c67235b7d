// The JavaScript kernel: runs cells in one Node process that keeps its declarations between them.
//
// The parent (framed.py) starts it with the descriptors of two pipes as its last arguments and standard output and
// error on a capture pipe. Frames and messages are those of python_child.py. Requests: `run`, `interrupt`, `quit`.
// Events: `ready`, `reading` (on: whether standard input is being read), `done` (ok, error, interrupted, cwd).
//
// Cells go through V8's own console evaluation ("replMode" of the Runtime domain, Chrome DevTools Protocol), which
// allows `const` to be declared again and `await` outside functions, without touching the source. A worker thread
// reads the requests, since it can stop an endless loop on the main thread.
//
// Two arguments come before the descriptors: `javascript` or `typescript`, and the path of a compiler that takes types
// away ("" for Node itself).

import fs from "node:fs";
import EventEmitter from "node:events";
import inspector from "node:inspector";
import module, { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";
import process from "node:process";
import { pathToFileURL, fileURLToPath } from "node:url";
import tty from "node:tty";
import util from "node:util";
import { promiseHooks } from "node:v8";
import vm from "node:vm";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

import { endsWriting, withImports } from "./node_source.mjs";
import { asWritten, refused, withoutTypes } from "./node_types.mjs";

const HERE = fileURLToPath(import.meta.url);

// Values that nobody wants to see printed: what starting something returns.
const isHandle = (value) => value instanceof EventEmitter || ["Timeout", "Immediate"].includes(value?.constructor?.name);

// A text that is told as it stands; a text that was thrown is shown as a value.
class Said {
  constructor(text) {
    this.text = text;
  }
}

const setImmediateOnce = setImmediate;
const untracked = setTimeout;
const pauses = new Int32Array(new SharedArrayBuffer(4)); // nobody wakes who waits here
const print = console.log.bind(console); // cells may put their own things in its place
let readsInput = false; // a cell reads the terminal

const NEVER = "Error: `await` waits for what cannot come any more: no timer, request or process is under way";
const NOBODY = ", and standard input is empty: nobody can type here; put the value in the code";

if (isMainThread) main();
else readRequests();

// In the worker: take frames apart, hand requests to the main thread, stop what runs there when asked to.
function readRequests() {
  const { requests, running } = workerData;
  let got = Buffer.alloc(0);
  const socket = new net.Socket({ fd: requests, readable: true, writable: false });
  socket.on("data", (piece) => {
    got = Buffer.concat([got, piece]);
    while (got.length >= 4 && got.length >= 4 + got.readUInt32BE(0)) {
      const size = got.readUInt32BE(0);
      const request = JSON.parse(got.subarray(4, 4 + size).toString());
      got = got.subarray(4 + size);
      parentPort.postMessage(request);
      if (request.op === "interrupt") setTimeout(() => terminate(running, request.id), 50);
    }
  });
  socket.on("close", () => {
    parentPort.postMessage({ op: "quit" });
    // A main thread that is busy for ever does not hear it.
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 1000);
  });
  socket.on("error", () => {});
}

// Stop a main thread that did not get round to an interrupt because it is busy. An idle one must not be stopped: that
// would hit whatever it does next.
function terminate(running, id) {
  if (Atomics.load(running, 0) !== id) return;
  const session = new inspector.Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
}

function main() {
  const [language, compiler] = process.argv.slice(-4, -2);
  const [requests, events] = process.argv.slice(-2).map(Number);
  const running = new Int32Array(new SharedArrayBuffer(4));
  const session = new inspector.Session();
  const timers = new Set();
  const pending = new Set();
  let block = null;
  let count = 0;
  let onIdle = null; // called when nothing is under way any more

  const send = (message) => {
    const body = Buffer.from(JSON.stringify(message));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    const frame = Buffer.concat([head, body]);
    for (let at = 0; at < frame.length; ) at += fs.writeSync(events, frame, at);
  };

  // The promise that V8 makes of a cell is held until it is settled: newer Nodes crash when it is collected before.
  const evaluate = (expression) =>
    new Promise((resolve) => {
      const options = { expression, replMode: true, awaitPromise: true, generatePreview: false };
      let ofCell = null;
      const stop = promiseHooks.onInit((made) => {
        if (!ofCell) pending.add((ofCell = made));
        stop();
      });
      session.post("Runtime.evaluate", options, (error, answer) => {
        pending.delete(ofCell);
        resolve({ error, answer });
      });
      stop();
    });

  // The value behind a remote object: V8 hands out ids, and only its own calls take them. It comes in a box: a promise
  // or anything else with a `then` would be waited for on the way, and may never come or throw.
  const valueOf = (remote) =>
    new Promise((resolve) => {
      if (remote.objectId === undefined) {
        const { type, value, unserializableValue: odd } = remote;
        if (type === "undefined") resolve({ value: undefined });
        else if (odd === undefined) resolve({ value });
        else resolve({ value: odd.endsWith("n") ? BigInt(odd.slice(0, -1)) : Number(odd) });
        return;
      }
      const options = {
        objectId: remote.objectId,
        functionDeclaration: "function () { globalThis[Symbol.for('oi.value')] = this; }",
      };
      session.post("Runtime.callFunctionOn", options, () => {
        const value = globalThis[Symbol.for("oi.value")];
        delete globalThis[Symbol.for("oi.value")];
        session.post("Runtime.releaseObject", { objectId: remote.objectId });
        resolve({ value: remote.type === "object" || remote.type === "function" ? value : value?.valueOf() });
      });
    });

  const complain = (error) => {
    const text = describe(error);
    process.stderr.write(text + "\n");
    if (block) {
      block.ok = false;
      block.error ??= text.split("\n")[0];
      block.missing ??= missingPackage(error);
      block.line ??= Number(/\bcell-\d+:(\d+)|\bat line (\d+)/.exec(text)?.slice(1).find(Boolean)) || undefined;
    }
  };

  const finish = (told = {}) => {
    if (!block) return;
    const done = { event: "done", id: block.id, ok: block.ok, cwd: folder(), ...told };
    if (block.error) done.error = block.error;
    if (block.missing) done.missing = block.missing;
    if (block.line) done.line = block.line;
    block = null;
    Atomics.store(running, 0, 0);
    send(done);
  };

  const run = async (request) => {
    const mine = (block = { id: request.id, ok: true, error: undefined });
    count += 1;
    if (request.cwd) {
      try {
        process.chdir(request.cwd);
      } catch (error) {
        complain(error);
      }
    }
    settle();
    freshInput();
    Atomics.store(running, 0, request.id);
    let plain;
    try {
      plain = language === "typescript" ? withoutTypes(request.code, compiler, `cell-${count}`) : request.code;
    } catch (error) {
      complain(new Said(refused(error)));
      finish();
      return;
    }
    const source = `${withImports(plain)}\n//# sourceURL=cell-${count}`;
    const { error, answer, idle } = await untilIdle(evaluate(source));
    if (block !== mine) return;
    if (idle) {
      complain(new Said(NEVER + (tty.isatty(0) || !/\bstdin\b|\breadline\b/.test(plain) ? "" : NOBODY)));
      finish();
      return;
    }
    if (error) {
      finish({ ok: false, interrupted: true });
      return;
    }
    try {
      if (answer.exceptionDetails) complain((await thrown(answer, valueOf, request.code.split("\n").length)).value);
      else await show(await valueOf(answer.result), plain, () => block !== mine);
    } catch (error) {
      complain(error); // the value cannot be shown: its own code for that throws
    }
    await settled(() => block !== mine);
    if (block === mine) finish();
  };

  // Print the value of a cell. A promise is given the time of what is under way, since a script would wait for that too.
  const show = async ({ value }, code, given_up) => {
    let shown = value;
    if (util.types.isPromise(value)) {
      const waited = value.then((came) => [came]);
      waited.catch(() => {}); // here only: what is thrown is told below, or by whoever else waits for it
      const came = await Promise.race([waited, settled(given_up).then(() => null)]);
      if (came) [shown] = came;
    }
    if (given_up() || shown === undefined || isHandle(shown) || (shown === true && endsWriting(code))) return;
    print(util.inspect(shown));
  };

  // What came of it; `{ idle: true }` when it waits for what can never come: nothing is under way any more, and a script
  // would end here. Node tells that by itself as soon as the worker does not keep it alive.
  const untilIdle = async (coming) => {
    const empty = new Promise((resolve) => (onIdle = () => resolve({ idle: true })));
    worker.unref();
    const came = await Promise.race([coming, empty]);
    onIdle = null;
    worker.ref();
    return came;
  };

  const interrupt = (id) => {
    if (block?.id !== id) return;
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    if (readsInput) process.stdin.pause();
    finish({ ok: false, interrupted: true });
  };

  for (const name of ["setTimeout", "setInterval", "setImmediate"]) {
    const original = globalThis[name];
    const wrapped = (...all) => {
      const timer = original(...all);
      if (name !== "setImmediate") timers.add(timer);
      return timer;
    };
    Object.defineProperty(wrapped, util.promisify.custom, { value: original[util.promisify.custom] });
    Object.defineProperty(wrapped, "name", { value: name });
    globalThis[name] = wrapped;
  }
  printsAtOnce(process.stdout, 1);
  printsAtOnce(process.stderr, 2);
  const freshInput = tellReading((on) => send({ event: "reading", on }));
  Object.defineProperty(globalThis, "__oi_import", { value: imported });
  Object.defineProperty(globalThis, "__oi_meta", { writable: true });
  Error.prepareStackTrace = stackOf;
  globalThis.module = { exports: {}, id: ".", children: [], paths: [] };
  globalThis.exports = globalThis.module.exports;
  process.on("uncaughtException", complain);
  process.on("unhandledRejection", complain);
  process.on("SIGINT", () => {});
  process.on("beforeExit", () => {
    worker.ref();
    onIdle?.();
  });
  process.on("exit", () => session.disconnect());
  session.connect();
  process.argv = [process.argv[0], ""];
  const worker = new Worker(HERE, { workerData: { requests, running } });
  worker.on("message", (request) => {
    if (request.op === "run") run(request);
    else if (request.op === "interrupt") interrupt(request.id);
    else if (request.op === "quit") process.exit(0);
  });
  worker.on("online", () => send({ event: "ready", version: process.versions.node }));
}

// What is written to this stream is in the pipe when the call returns. An interrupt may stop a cell anywhere, also inside
// Node's own code: its streams would then wait for ever for a write to end that never began, and print nothing more. The
// pipe is made blocking, for programs that inherit it as well. A cell that ends standard output ends it for itself: the
// next one prints there, too.
function printsAtOnce(stream, fd) {
  const { writeSync } = fs;
  const refuse = stream.write.bind(stream);
  stream._handle?.setBlocking?.(true);
  stream.write = (chunk, encoding, done) => {
    if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    if (typeof chunk !== "string" && !ArrayBuffer.isView(chunk)) return refuse(chunk, encoding, done);
    const data = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(fd, bytes, at);
      } catch (error) {
        if (error.code !== "EAGAIN") throw error; // somebody made it wait for nothing again
        Atomics.wait(pauses, 0, 0, 1);
      }
    }
    if (done) process.nextTick(done);
    return true;
  };
  stream.end = (...given) => {
    const done = typeof given.at(-1) === "function" ? given.pop() : undefined;
    if (given[0] != null) stream.write(...given);
    if (done) setImmediateOnce(done);
    return stream;
  };
}

// Tell when a cell reads the terminal and when it stops. Node keeps watching one that it no longer reads, so from outside
// the two look alike. Input that was ended can be read again, by the next stream. Returns what to call before
// a cell: it shall not find the stream as paused as the last one has left it.
function tellReading(tell) {
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin");
  let stream = null;
  if (!tty.isatty(0)) {
    const again = () => {
      if (!stream) stream = stdin.get.call(process);
      else if (stream.destroyed || stream.readableEnded) stream = new fs.ReadStream(null, { fd: 0, autoClose: false });
      return stream;
    };
    Object.defineProperty(process, "stdin", { ...stdin, get: again });
    return () => {};
  }
  const stop = () => {
    if (!stream._handle?.reading || !stream.isPaused()) return;
    stream._handle.reading = false;
    stream._handle.readStop();
  };
  const get = () => {
    if (stream && !stream.destroyed && !stream.readableEnded) return stream;
    stream = stream ? new tty.ReadStream(0) : stdin.get.call(process);
    stream.on("pause", () => process.nextTick(stop)).on("end", () => tell((readsInput = false)));
    const handle = stream._handle;
    for (const [name, on] of [["readStart", true], ["readStop", false]]) {
      const original = handle[name];
      handle[name] = (...all) => {
        tell((readsInput = on));
        return original.apply(handle, all);
      };
    }
    return stream;
  };
  Object.defineProperty(process, "stdin", { ...stdin, get });
  return () => stream?.isPaused() && stream.destroy();
}

function folder() {
  try {
    return process.cwd();
  } catch {
    return "";
  }
}

// What was thrown, boxed like any value. A syntax error is only described.
async function thrown(answer, valueOf, lines) {
  const details = answer.exceptionDetails;
  const remote = details.exception ?? answer.result;
  if (remote.className === "SyntaxError" && details.lineNumber !== undefined) {
    const text = String(remote.description).split("\n")[0];
    const place = details.lineNumber >= lines ? "the end of the code" : `line ${details.lineNumber + 1}, column ${details.columnNumber + 1}`;
    return { value: new Said(`${text}\n    at ${place}`) };
  }
  return details.exception ? await valueOf(remote) : { value: new Said(remote.description ?? details.text) };
}

// The package that an import did not find: `@scope/name` or the first part of a path into it; undefined for a file.
function missingPackage(error) {
  if (!["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"].includes(error?.code)) return undefined;
  const name = /Cannot find (?:module|package) '([^']+)'/.exec(String(error.message))?.[1] ?? "";
  return /^(?:@[\w.-]+\/)?[\w-][\w.-]*/.test(name) && !path.isAbsolute(name) ? /^(?:@[^/]+\/)?[^/]+/.exec(name)[0] : undefined;
}

// The stack of an error as V8 writes it, without the frames by which this kernel has come to the cell.
function stackOf(error, frames) {
  const own = frames.findIndex((one, i) => one.getFileName() === "node:inspector" && isOurs(frames[i + 1]));
  const kept = own < 0 ? frames : frames.slice(0, own);
  return [errorLine(error), ...kept.map((one) => `    at ${asWritten(String(one))}`)].join("\n");
}

const isOurs = (frame) => frame?.getFileName() === import.meta.url;

function errorLine(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error"; // its own name or message throws
  }
}

// Text of an error with the frames that are the person's.
function describe(error) {
  if (error instanceof Said) return error.text;
  if (!(error instanceof Error)) return `Uncaught ${util.inspect(error)}`;
  const ours = (line) => /^\s+at .*(node:|node_child\.mjs)/.test(line) || /^\s+at new Promise \(<anonymous>\)/.test(line);
  const kept = [];
  for (const line of util.inspect(error).replaceAll(` imported from ${HERE}`, "").split("\n")) {
    if (!ours(line)) kept.push(line);
    else if (line.endsWith("{") && !kept.at(-1).endsWith("{")) kept[kept.length - 1] += " {"; // its properties follow
  }
  return kept.join("\n");
}

// What a module of the working directory finds around it.
function settle() {
  const file = path.join(process.cwd(), "cell.js");
  globalThis.require = createRequire(file);
  globalThis.require.main = globalThis.module; // a cell is what was started
  Object.assign(globalThis, { __filename: file, __dirname: process.cwd() });
  const resolve = (name) => pathToFileURL(globalThis.require.resolve(name)).href;
  globalThis.__oi_meta = { url: pathToFileURL(file).href, filename: file, dirname: process.cwd(), resolve };
}

// A module for an `import` statement, which fails where a name that it takes is not exported.
async function imported(name, options, names = []) {
  const found = await importedFrom(name, options);
  const absent = names.filter((one) => !(one in found));
  if (!absent.length) return found;
  // Names of a CommonJS module that Node could not see beforehand.
  const whole = found.default;
  if (whole !== null && ["object", "function"].includes(typeof whole) && absent.every((one) => one in whole)) {
    return Object.assign(Object.create(null), found, Object.fromEntries(absent.map((one) => [one, whole[one]])));
  }
  throw new SyntaxError(`The requested module '${name}' does not provide an export named '${absent[0]}'`);
}

// `import()` as seen from the working directory.
async function importedFrom(name, options) {
  const spelled = String(name);
  if (/^(node:|https?:|file:|data:|\.{0,2}\/)/.test(spelled) || module.builtinModules.includes(spelled)) {
    return import(located(spelled), options);
  }
  const here = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  if (here !== undefined) {
    const place = { filename: path.join(process.cwd(), "cell.js"), importModuleDynamically: here };
    try {
      return await new vm.Script("(name, options) => import(name, options)", place).runInThisContext()(spelled, options);
    } catch (error) {
      if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes("cell.js")) throw error;
    }
  }
  const found = located(spelled); // `require` looks in NODE_PATH and global folders as well
  if (found !== spelled) return import(found, options);
  const root = spelled.split("/").slice(0, spelled.startsWith("@") ? 2 : 1).join("/");
  const error = new Error(`Cannot find package '${root}' from ${process.cwd()}; \`npm install ${root}\` puts it there`);
  throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
}

// A bare file name or a relative path means the person's folder, a package the one installed there.
function located(name) {
  if (/^(node:|https?:|file:|data:)/.test(name)) return name;
  if (/^\.{0,2}\//.test(name)) return pathToFileURL(path.resolve(name)).href;
  try {
    const found = createRequire(path.join(process.cwd(), "cell.js")).resolve(name);
    return path.isAbsolute(found) ? pathToFileURL(found).href : found;
  } catch {
    return name;
  }
}

// Wait until nothing is under way that a script would wait for: timers, requests, child processes, a person who types.
// Servers may stay.
async function settled(given_up) {
  const staying = new Set(["MessagePort", "Worker", "TCPServerWrap", "PipeServerWrap", "PipeWrap", "TTYWrap", "Immediate"]);
  const busy = () => readsInput || process.getActiveResourcesInfo().some((name) => !staying.has(name));
  await new Promise((resolve) => setImmediateOnce(resolve));
  while (busy() && !given_up()) await new Promise((resolve) => waitABit(resolve));
}

// A timer that does not count as work under way.
function waitABit(resolve) {
  untracked(resolve, 10).unref();
}
