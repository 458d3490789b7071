// A client of the language server of TypeScript 7, over stdio.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { NODE, cpuSeconds, track } from "./child.mjs";

export const compiler = fileURLToPath(new URL("../../node_modules/typescript7/bin/tsc", import.meta.url));

/** Starts the language server in the folder of a project. */
export async function startLanguageServer(folder) {
  const child = track(spawn(NODE, [compiler, "--lsp", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] }));
  const pending = new Map();
  let lastId = 0;
  const send = (message) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const notify = (method, params) => send({ method, params });
  const request = (method, params) => {
    lastId += 1;
    send({ id: lastId, method, params });
    return new Promise((resolve, reject) => pending.set(lastId, { resolve, reject }));
  };
  const receive = ({ id, method, params, result, error }) => {
    if (method !== undefined) {
      // Requests of the server: settings of the editor, of which there are none, and registrations.
      if (id !== undefined)
        send({ id, result: method === "workspace/configuration" ? params.items.map(() => null) : null });
      return;
    }
    const call = pending.get(id);
    pending.delete(id);
    if (error) call.reject(new Error(`The language server failed: ${error.message}`));
    else call.resolve(result);
  };
  child.once("exit", (code) => {
    for (const { reject } of pending.values()) reject(new Error(`The language server ended with ${code}`));
  });
  readMessages(child.stdout, receive);

  const uri = pathToFileURL(folder).href;
  await request("initialize", {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: "project" }],
    capabilities: { textDocument: { diagnostic: {}, completion: {} } },
  });
  notify("initialized", {});
  const pid = serverPid(child.pid);
  return {
    request,
    notify,
    cpuSeconds: () => cpuSeconds(pid),
    async stop() {
      // A server that is killed leaves the native process behind, whose processor time then counts as that of another program.
      const ended = once(child, "exit");
      await request("shutdown");
      notify("exit");
      await ended;
    },
  };
}

function readMessages(stream, receive) {
  let buffer = Buffer.alloc(0);
  stream.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/^Content-Length: (\d+)/im.exec(buffer.toString("latin1", 0, end))[1]);
      const start = end + 4;
      if (buffer.length < start + length) return;
      const message = JSON.parse(buffer.toString("utf8", start, start + length));
      buffer = buffer.subarray(start + length);
      receive(message);
    }
  });
}

/** The native process. Older versions of Node keep their own process in front of it. */
function serverPid(pid) {
  try {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    return Number(first) || pid;
  } catch {
    return pid;
  }
}
