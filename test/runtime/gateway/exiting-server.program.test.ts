import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { createGateway, type Gateway } from "../../../runtime/gateway/gateway.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { createProgram } from "../../kit/programs.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { joinGateway } from "./connect-client.ts";

/* A server that ends when it should not, behind a gateway (TS-10, TS-12). */

const script = await createProgram(new URL("./exiting-server.ts", import.meta.url));
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Behind {
  readonly gateway: Gateway;
  /** Reported errors. */
  readonly reports: readonly string[];
  /** The processes that have had a session, in their order: the first is that of the gateway itself. */
  pids(): number[];
}

async function open(): Promise<Behind> {
  const reports: string[] = [];
  const onError = ({ error }: { readonly error: Error }): void => void reports.push(error.message);
  const log = join(temporaryFolder(), "pids");
  const place = { kind: "command", command: process.execPath, args: [script, log] } as const;
  const gateway = await createGateway(place, { revisions, onError });
  ends.push(() => gateway.close());
  return { gateway, reports, pids: () => readFileSync(log, "utf8").trim().split("\n").map(Number) };
}

const call = (die: boolean): object => ({ name: "work", arguments: { die } });

function readPid(result: unknown): number {
  const [block] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  return Number(isObject(block) ? block.text : NaN);
}

describe("a server that exits at an unknown message", () => {
  test.each([newest, statelessRevision])(
    "a server that exits at an unknown message is opened by a handshake, and served at $id",
    async (revision) => {
      const { gateway } = await open();
      expect(gateway.revision.id).toBe(newest.id);
      const client = await joinGateway(gateway, revision);
      expect(readPid(await client.request("tools/call", call(false)))).toBeGreaterThan(0);
    },
  );
});

describe("a server that exits during a call", () => {
  test("a server that exits during a call ends the session of its client with the reason", async () => {
    const { gateway, reports } = await open();
    const [client, other] = [await joinGateway(gateway, newest), await joinGateway(gateway, newest)];
    const message = "The server has closed the connection";
    await expect(client.request("tools/call", call(true))).rejects.toMatchObject({ code: -32603, message });
    await client.closed;
    expect(reports).toEqual(expect.arrayContaining([expect.stringMatching(/ended with code 7/)]));
    expect(readPid(await other.request("tools/call", call(false)))).toBeGreaterThan(0);
  });

  test("a server that exits during a call is started again for the next call of a client without a session", async () => {
    const { gateway } = await open();
    const client = await joinGateway(gateway, statelessRevision);
    const before = readPid(await client.request("tools/call", call(false)));
    await expect(client.request("tools/call", call(true))).rejects.toMatchObject({ code: -32603 });
    const after = readPid(await client.request("tools/call", call(false)));
    expect(after).toBeGreaterThan(0);
    expect(after).not.toBe(before);
  });
});

test("the gateway's own connection is opened again, and listeners get list-changed notifications", async () => {
  const { gateway, reports, pids } = await open();
  const received: string[] = [];
  const handlers = { toolListChanged: () => void received.push("tools") };
  const client = await joinGateway(gateway, statelessRevision, { handlers });
  const stop = new AbortController();
  const notifications = { toolsListChanged: true };
  const listening = client.request("subscriptions/listen", { notifications }, { signal: stop.signal });
  listening.catch(() => {});
  await client.request("tools/list", {});
  const [own = 0, ...others] = pids();
  process.kill(own, "SIGKILL");
  await expect.poll(() => received).toEqual(["tools"]);
  expect(reports).toEqual([expect.stringContaining("ended by SIGKILL")]);
  expect(pids()).toHaveLength(others.length + 2);
  stop.abort();
});
