import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { TokenBucket } from "../../../../runtime/jsonrpc/token-bucket.ts";
import { callServer, createSession, type Sent } from "../../../kit/calls.ts";
import { newest } from "../../../kit/revisions.ts";

const remark = { level: "warning", data: "Too many log messages; some are dropped" };

type Execute = NonNullable<AnyServerDefinition["tools"]>[number]["execute"];

function create(definition: Partial<AnyServerDefinition>): Server {
  const run: Execute = async (_args, { log }) => {
    for (let i = 0; i < 2_000; i++) await log("info", i);
    return "";
  };
  return createServer({ name: "test", version: "1", tools: [{ name: "t", execute: run }], ...definition }, revisions);
}

async function logged(server: Server, session: ReturnType<typeof createSession>): Promise<unknown[]> {
  const sent: Sent[] = [];
  await callServer(server, newest, ["tools/call", { name: "t" }], { session, sent });
  return sent.map(({ params }) => params);
}

describe("log messages", () => {
  test("log messages of one session are bounded, with one notice in place of the rest (O-06)", async () => {
    const server = create({ logRate: { burst: 3, perSecond: 0.001 } });
    const session = createSession(server, newest);
    const info = [0, 1, 2].map((data) => ({ level: "info", data }));
    expect(await logged(server, session)).toEqual([...info, remark]);
    expect(await logged(server, session)).toEqual([]);
    expect(await logged(server, createSession(server, newest))).toEqual([...info, remark]);
  });

  test("the notice is not less severe than the message that it replaces, so that a client has requested it (O-02)", async () => {
    const execute: Execute = async (_args, { log }) => {
      for (let i = 0; i < 3; i++) await log("error", i);
      return "";
    };
    const server = create({
      logRate: { burst: 1, perSecond: 0.001 },
      logLevel: "error",
      tools: [{ name: "t", execute }],
    });
    const messages = await logged(server, createSession(server, newest));
    expect(messages).toEqual([
      { level: "error", data: 0 },
      { ...remark, level: "error" },
    ]);
  });

  test("log messages are not limited below thousands by default", async () => {
    const server = create({});
    const messages = await logged(server, createSession(server, newest));
    expect(messages.length).toBeGreaterThan(1_000);
    expect(messages).toContainEqual(remark);
  });

  test("the rate of log messages must be positive", () => {
    expect(() => create({ logRate: { burst: 0, perSecond: 1 } })).toThrow(
      "logRate has burst 0 and perSecond 1; use a burst of 1 or more",
    );
  });
});

test("a token bucket allows a burst, and then the rate, and never more than a burst", () => {
  const bucket = new TokenBucket({ burst: 2, perSecond: 2 }, 0);
  expect([bucket.take(0), bucket.take(0), bucket.take(0)]).toEqual([0, 0, 500]);
  expect([bucket.take(250), bucket.take(500), bucket.take(500)]).toEqual([250, 0, 500]);
  expect([bucket.take(60_000), bucket.take(60_000), bucket.take(60_000)]).toEqual([0, 0, 500]);
});
