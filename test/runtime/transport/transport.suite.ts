import { afterEach, describe, expect, test } from "vitest";
import type { Revision } from "../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import type { Timeouts } from "../../../runtime/jsonrpc/limits.ts";
import type { Connection } from "../../../runtime/protocol/peer/peer.ts";
import type { Transport } from "../../../runtime/transport/transport.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";

/** The suite's server behind a transport. */
export interface SuiteServer {
  /** A new client's end. */
  open(): Transport;
  /** The server's ends, where they are in this process. */
  readonly connections?: () => Iterable<Connection>;
  /** Ends the server in order. */
  stop(): Promise<void>;
  /** Ends it without a word. */
  breakOff?(): void;
}

/** A transport to test. */
export interface SuiteSubject {
  readonly start: (timeouts?: Partial<Timeouts>) => Promise<SuiteServer>;
  /** Connections outlive their server: calls fail, but a later server could respond to the next ones. */
  readonly outlivesServer?: boolean;
  /** There is nothing between the two ends that could break. */
  readonly neverBreaks?: boolean;
}

/** Contract of every transport. */
export function testTransport(
  name: string,
  { start, outlivesServer = false, neverBreaks = false }: SuiteSubject,
): void {
  describe(name, () => {
    const open: (() => Promise<unknown>)[] = [];

    afterEach(async () => {
      for (const close of open.splice(0).reverse()) await close();
    });

    async function connectPair(
      revision: Revision = newest,
    ): Promise<{ readonly server: SuiteServer; readonly client: ClientConnection }> {
      const server = await start();
      open.push(() => server.stop());
      const client = await connect(server.open(), {
        info: { name: "c", version: "1" },
        revisions: [revision],
        capabilities: { roots: {} },
        handlers: { listRoots: () => ({ roots: [{ uri: "file:///r" }] }) },
      });
      open.push(() => client.close());
      return { server, client };
    }

    test.each(handshakeRevisions)("a transport opens a session at $id and calls", async (revision) => {
      const { client } = await connectPair(revision);
      expect(client.revision).toBe(revision);
      expect(await callTool(client, "echo", { text: "ä€😀\u2028\n" })).toBe("ä€😀\u2028\n");
      expect(await client.request("ping")).toEqual({});
    });

    test("a transport carries calls in both directions at once", async () => {
      const { client } = await connectPair();
      const requested = await Promise.all(Array.from({ length: 10 }, () => callTool(client, "ask", { n: 20 })));
      expect(requested).toEqual(requested.map(() => "20"));
    });

    test("a transport delivers progress in order, all of it before the result (G-03)", async () => {
      const { client } = await connectPair();
      const seen: number[] = [];
      const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
      await client.request("tools/call", { name: "progress", arguments: { n: 100 } }, { onProgress });
      expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    });

    test("a transport cancels a call at the other end (C-02)", async () => {
      const { client } = await connectPair();
      const stop = new AbortController();
      let hanging: Promise<unknown> = Promise.resolve();
      await new Promise((begun) => {
        const options = { signal: stop.signal, onProgress: begun };
        hanging = client.request("tools/call", { name: "hang", arguments: { n: 1 } }, options);
        hanging.catch(() => {});
      });
      stop.abort(new Error("enough"));
      await expect(hanging).rejects.toThrow("enough");
      await expect.poll(() => callTool(client, "cancelled")).toBe("1");
    });

    test("a transport carries a message of more than 5 MiB in both directions", async () => {
      const { client } = await connectPair();
      const text = "€".repeat(1_800_000);
      expect((await callTool(client, "echo", { text })) === text).toBe(true);
      expect((await callTool(client, "large", { n: 1_800_000 })) === text).toBe(true);
    });

    test("a transport rejects a request with too many values under its id, and stays open (R10)", async () => {
      const { client } = await connectPair();
      const items = Array.from({ length: 200_001 }, () => 0);
      await expect(client.request("tools/call", { name: "echo", arguments: { items } })).rejects.toThrow(
        "more than 200000 values",
      );
      expect(await callTool(client, "echo", { text: "next" })).toBe("next");
    });

    test("a transport carries 1,000 calls at once", async () => {
      const { client } = await connectPair();
      const texts = Array.from({ length: 1_000 }, (_, index) => `text ${index}`);
      expect(await Promise.all(texts.map((text) => callTool(client, "echo", { text })))).toEqual(texts);
    });

    test("a transport closes from the client's side: every call settles at once, and the server is notified (R29)", async () => {
      const { server, client } = await connectPair();
      const outcomes = Promise.allSettled(Array.from({ length: 20 }, () => callTool(client, "hang")));
      await callTool(client, "later", { n: 20 });
      const closing = client.close();
      for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { name: "ClosedError" } });
      await closing;
      expect([await client.closed, client.state]).toEqual([undefined, "DISCONNECTED"]);
      await expect(client.request("ping")).rejects.toMatchObject({ name: "ClosedError" });
      for (const connection of server.connections?.() ?? []) await connection.closed;
    });

    test("a transport closes from the server's side: every call settles (R29)", async () => {
      const { server, client } = await connectPair();
      const outcomes = Promise.allSettled(Array.from({ length: 20 }, () => callTool(client, "hang")));
      await callTool(client, "later", { n: 20 });
      await server.stop();
      for (const outcome of await outcomes) expect(outcome.status).toBe("rejected");
      if (!outlivesServer) await client.closed;
      await expect(client.request("ping")).rejects.toBeInstanceOf(Error);
    });

    test("a transport serves running calls until they finish while the server closes (R29)", async () => {
      const server = await start({ drain: 60_000 });
      if (!server.connections) return void (await server.stop());
      let stopped: Promise<void> | undefined;
      const client = await connect(server.open(), {
        info: { name: "c", version: "1" },
        revisions: [newest],
        capabilities: { roots: {} },
        handlers: {
          listRoots() {
            stopped = server.stop();
            return { roots: [{ uri: "file:///r" }] };
          },
        },
      });
      open.push(() => client.close());
      const seen: number[] = [];
      const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
      const result = await client.request("tools/call", { name: "visit", arguments: {} }, { onProgress });
      expect([Object(result).content[0].text, seen]).toEqual(["1", [1, 2]]);
      expect(stopped).toBeDefined();
      await stopped;
    });

    if (neverBreaks) return;

    test("a transport that breaks settles every call with the reason (R29, R52)", async () => {
      const { server, client } = await connectPair();
      const outcomes = Promise.allSettled(Array.from({ length: 20 }, () => callTool(client, "hang")));
      await callTool(client, "later", { n: 20 });
      server.breakOff?.();
      for (const outcome of await outcomes) {
        const { name, cause } = Object(outcome.status === "rejected" ? outcome.reason : undefined);
        expect([name, cause instanceof Error]).toEqual([outlivesServer ? "LostError" : "ClosedError", true]);
      }
      if (!outlivesServer) expect(await client.closed).toBeInstanceOf(Error);
      await expect(client.request("ping")).rejects.toBeInstanceOf(Error);
    });
  });
}

async function callTool(
  client: ClientConnection,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const result = await client.request("tools/call", { name, arguments: { n: 0, text: "", ...args } });
  return Object(result).content[0].text;
}
