import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connectStdio } from "../../../runtime/client/connect-stdio.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { createProgram } from "../../kit/programs.ts";
import { newest } from "../../kit/revisions.ts";

const info = { name: "c", version: "1" };
const script = await createProgram(new URL("../transport/stdio/fixtures/one-message-server.ts", import.meta.url));
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe("a server that exits at the first unknown message", () => {
  test("a server that exits at the first unknown message is started once more and opened by a handshake; the next time at once (TS-10, TS-11, DE-03)", async () => {
    let told = "";
    const command = {
      command: process.execPath,
      args: [script, newest.id],
      stderr: (text: string) => void (told += text),
    };
    const client = createUntypedClient({ info, revisions, timeouts: { request: 60_000 } });
    closers.push(() => client.close());
    const first = await client.connect((options) => connectStdio(command, options));
    expect(first.revision).toBe(newest);
    expect(await first.listTools()).toEqual([]);
    await expect.poll(() => told).toBe("server/discover\ninitialize\nnotifications/initialized\ntools/list\n");
    told = "";
    const second = await client.connect((options) => connectStdio(command, options));
    expect(second.revision).toBe(newest);
    await expect.poll(() => told).toBe("initialize\nnotifications/initialized\n");
  });

  test("the limits of a client apply to messages of a server over stdio", async () => {
    const program = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const opening = { protocolVersion: ${JSON.stringify(newest.id)}, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
      const result = method === "initialize" ? opening : { content: [], structuredContent: { rows: Array(100).fill(1) } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });`;
    const client = createUntypedClient({ info, revisions: [newest], limits: { maxValues: 50 } });
    closers.push(() => client.close());
    const command = { command: process.execPath, args: ["-e", program] };
    const session = await client.connect((options) => connectStdio(command, options));
    await expect(session.callTool("rows")).rejects.toThrow("more than 50 values");
  });

  test.each(["per-request", "handshake"] as const)(
    "a server is started once if its lifecycle is given: %s",
    async (lifecycle) => {
      let told = "";
      const command = {
        command: process.execPath,
        args: [script, newest.id],
        stderr: (text: string) => void (told += text),
      };
      const [connecting] = await Promise.allSettled([connectStdio(command, { info, revisions, lifecycle })]);
      if (connecting.status === "fulfilled") await connecting.value.close();
      expect(connecting.status).toBe(lifecycle === "handshake" ? "fulfilled" : "rejected");
      const first = lifecycle === "handshake" ? "initialize\nnotifications/initialized\n" : "server/discover\n";
      await expect.poll(() => told).toBe(first);
    },
  );

  test("an error of the function that receives the log of a server is reported", async () => {
    const reports: unknown[] = [];
    const command = {
      command: process.execPath,
      args: [script, newest.id],
      stderr: () => {
        throw new Error("no log");
      },
    };
    const onError = (report: unknown): void => void reports.push(report);
    const connection = await connectStdio(command, { info, revisions: [newest], onError });
    closers.push(() => connection.close());
    await expect.poll(() => reports[0]).toMatchObject({ error: { message: "no log" } });
  });

  test("a server that cannot be started is not started again", async () => {
    const connecting = connectStdio({ command: "/no/such/program" }, { info, revisions });
    await expect(connecting).rejects.toMatchObject({ cause: { syscall: expect.stringContaining("spawn") } });
  });
});
