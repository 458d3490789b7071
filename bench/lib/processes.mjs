// The processes of a server that share one port, for W12: `node processes.mjs <contestant> <mode> <count>` (forked, with IPC). The first process only
// distributes connections; each of the others serves, and counts its requests.
import cluster from "node:cluster";
import { subscribe } from "node:diagnostics_channel";

const [id, mode, count] = process.argv.slice(2);

if (cluster.isPrimary) distribute();
else await serve();

function distribute() {
  const workers = Array.from({ length: Number(count) }, () => cluster.fork());
  const places = [];
  for (const worker of workers)
    worker.on("message", (m) => {
      if (m.error) process.send(m);
      if (m.port) places.push(m);
      if (m.port && places.length === workers.length)
        process.send({ ...m, pids: workers.map((one) => one.process.pid) });
    });
  process.on("message", async () => {
    const read = (worker) =>
      new Promise((resolve) => {
        worker.once("message", resolve);
        worker.send("usage");
      });
    process.send({ done: await Promise.all(workers.map(read)), own: process.cpuUsage() });
  });
  // The guard against other work counts the processor time of processes whose parent has waited for their end.
  process.once("SIGTERM", async () => {
    const end = (worker) =>
      new Promise((resolve) => {
        worker.once("exit", resolve);
        worker.process.kill("SIGKILL");
      });
    await Promise.all(workers.map(end));
    process.exit();
  });
}

async function serve() {
  let requests = 0;
  subscribe("http.server.request.start", () => (requests += 1));
  try {
    const { default: adapter } = await import(`../contestants/${id}.mjs`);
    const { port, path = "/mcp" } = await adapter.httpServer(mode);
    process.on("message", () => process.send({ requests, ...process.cpuUsage() }));
    process.send({ port, path });
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
}
