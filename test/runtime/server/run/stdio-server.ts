import { revisions } from "../../../../generated/revisions.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { serveStdio } from "../../../../runtime/server/run/serve-stdio.ts";

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Reports on stderr that a call runs. */
function begin(milliseconds: number): Promise<void> {
  console.error("begun");
  return sleep(milliseconds);
}

/** Waits until a call is aborted. Nothing keeps the process alive meanwhile. */
function idle(signal: AbortSignal): Promise<string> {
  clearInterval(other);
  console.error("begun");
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => (console.error("aborted"), resolve("aborted")));
  });
}

/** A process that serves on stdin and stdout: `slow` takes a moment, `forever` longer than anybody waits, `stop` ends the service. */
const server = createServer(
  {
    name: "fixture",
    version: "1",
    tools: [
      { name: "slow", execute: () => begin(100).then(() => "done") },
      { name: "forever", execute: () => begin(600_000).then(() => "never") },
      { name: "idle", execute: (_args, { signal }) => idle(signal) },
      { name: "stop", execute: () => (void service.close(), sleep(100).then(() => "stopped")) },
    ],
  },
  revisions,
);

const service = serveStdio(server);
// Something else that would keep the process alive.
const other = setInterval(() => {}, 1_000);
console.log("this goes to stderr");
