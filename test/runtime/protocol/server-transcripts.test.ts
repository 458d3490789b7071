import { describe, expect, test } from "vitest";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { StaticResult } from "../../../runtime/jsonrpc/message.ts";
import { batching, handshakeRevisions, newest } from "../../kit/revisions.ts";
import { runTranscript } from "../../../runtime/testing/transcript.ts";
import { serveWire, type Line } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { text } from "../../kit/messages.ts";

const handlers = {
  callTool(params: { name: string; arguments?: { text: string } }): unknown {
    switch (params.name) {
      case "echo":
        return text(params.arguments?.text ?? "");
      case "late":
        return Promise.resolve(text("late"));
      case "throws":
        throw new Error("the password is hunter2");
      case "rejects":
        return Promise.reject(new Error("the password is hunter2"));
      case "refuses":
        throw new RpcError(1001, "Busy", { data: { after: 5 }, cause: new Error("internal detail") });
      case "throws nothing":
        throw undefined;
      case "wrong result":
        return { content: "no list" };
      case "no result":
        return undefined;
      case "cycle":
        return cyclic();
      case "big integer":
        return { ...text("x"), _meta: { big: 1n } };
      default:
        throw new RpcError(-32602, "Unknown tool");
    }
  },
};

function cyclic(): object {
  const meta: Record<string, unknown> = {};
  meta.self = meta;
  return { ...text("x"), _meta: meta };
}

const call = (id: unknown, name: string): object => ({ id, method: "tools/call", params: { name } });
const internal = (id: unknown): object => ({ id, error: { code: -32603, message: "Internal error" } });
const ping: Line = [">", { id: "still", method: "ping" }];
const pong: Line = ["<", { id: "still", result: {} }];
const rejection = (code: number, message: string, id?: unknown): object =>
  id === undefined ? { error: { code, message } } : { id, error: { code, message } };

describe("errors and their codes", () => {
  const cases: readonly [string, readonly Line[]][] = [
    [
      "text that is not JSON is -32700 without id (J-06)",
      [
        [">", "{oops"],
        ["<", rejection(-32700, "The message is not valid JSON")],
      ],
    ],
    [
      "a lone half of a message is -32700",
      [
        [">", '{"jsonrpc":"2.0","id":1,'],
        ["<", rejection(-32700, "The message is not valid JSON")],
      ],
    ],
    [
      "a broken envelope is -32600 with the id when it can be read (J-01)",
      [
        [">", '{"id":7,"method":"ping"}'],
        ["<", rejection(-32600, 'The member jsonrpc must be "2.0"', 7)],
      ],
    ],
    [
      "an id of null is refused, not taken for a notification (J-04, R4)",
      [
        [">", { id: null, method: "ping" }],
        ["<", rejection(-32600, "The id must be a string or a safe integer")],
      ],
    ],
    [
      "an id that is too long is rejected without it",
      [
        [">", { id: "x".repeat(513), method: "ping" }],
        ["<", rejection(-32600, "The id exceeds 512 characters; send a shorter one")],
      ],
    ],
    [
      "a member that appears twice is refused (R8)",
      [
        [">", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}'],
        ["<", rejection(-32600, "The member method is duplicated", 1)],
      ],
    ],
    [
      "two ids are refused without either",
      [
        [">", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'],
        ["<", rejection(-32600, "The member id is duplicated")],
      ],
    ],
    [
      "an unknown method is -32601 (R6)",
      [
        [">", { id: 1, method: "no/such" }],
        ["<", { id: 1, error: { code: -32601, message: "Method not found", data: { method: "no/such" } } }],
      ],
    ],
    [
      "a name of the prototype is an unknown method (R9)",
      [
        [">", { id: 1, method: "__proto__" }],
        ["<", { id: 1, error: { code: -32601, message: "Method not found", data: { method: "__proto__" } } }],
      ],
    ],
    [
      "a method of the other direction is -32601",
      [
        [">", { id: 1, method: "roots/list" }],
        ["<", { id: 1, error: { code: -32601, message: "Method not found", data: { method: "roots/list" } } }],
      ],
    ],
    [
      "a method whose capability is not declared is -32601",
      [
        [">", { id: 1, method: "prompts/list" }],
        ["<", { id: 1, error: { code: -32601, message: "Method not found", data: { method: "prompts/list" } } }],
      ],
    ],
    [
      "a method without handler is -32601",
      [
        [">", { id: 1, method: "tools/list" }],
        ["<", { id: 1, error: { code: -32601, message: "Method not found", data: { method: "tools/list" } } }],
      ],
    ],
    [
      "bad params are -32602 with their path (R6)",
      [
        [">", { id: 1, method: "tools/call", params: { name: 5 } }],
        [
          "<",
          {
            id: 1,
            error: {
              code: -32602,
              message: "Invalid params: at name must be string",
              data: { path: "name", expected: "string" },
            },
          },
        ],
      ],
    ],
    [
      "missing params are -32602",
      [
        [">", { id: 1, method: "tools/call" }],
        [
          "<",
          {
            id: 1,
            error: { code: -32602, message: "Invalid params: must be object", data: { path: "", expected: "object" } },
          },
        ],
      ],
    ],
    [
      "params that are an array are -32602 (J-12)",
      [
        [">", { id: 1, method: "tools/call", params: ["echo"] }],
        [
          "<",
          {
            id: 1,
            error: { code: -32602, message: "Invalid params: must be object", data: { path: "", expected: "object" } },
          },
        ],
      ],
    ],
    [
      "a handler that throws is -32603 and leaks nothing (R14)",
      [
        [">", call(1, "throws")],
        ["<", internal(1)],
      ],
    ],
    [
      "a handler that rejects is -32603 and leaks nothing (R14)",
      [
        [">", call(1, "rejects")],
        ["<", internal(1)],
      ],
    ],
    [
      "a handler that throws nothing is -32603",
      [
        [">", call(1, "throws nothing")],
        ["<", internal(1)],
      ],
    ],
    [
      "a handler's own error passes, its cause does not",
      [
        [">", call(1, "refuses")],
        ["<", { id: 1, error: { code: 1001, message: "Busy", data: { after: 5 } } }],
      ],
    ],
    [
      "a result that does not fit the revision is our fault (R14)",
      [
        [">", call(1, "wrong result")],
        ["<", internal(1)],
      ],
    ],
    [
      "no result at all is our fault",
      [
        [">", call(1, "no result")],
        ["<", internal(1)],
      ],
    ],
    [
      "a result that JSON cannot carry is our fault (R11)",
      [
        [">", call(1, "cycle")],
        ["<", internal(1)],
        [">", call(2, "big integer")],
        ["<", internal(2)],
      ],
    ],
    [
      "a second initialize is refused, so that a session has one version (R17, L-10)",
      [
        [
          ">",
          {
            id: 1,
            method: "initialize",
            params: { protocolVersion: newest.id, capabilities: {}, clientInfo: { name: "a", version: "1" } },
          },
        ],
        ["<", rejection(-32600, "The session is already initialized", 1)],
      ],
    ],
    [
      "a notification has no response, whatever is wrong with it (J-11, R5)",
      [
        [">", { method: "no/such" }],
        [">", { method: "notifications/cancelled", params: 5 }],
        [">", { method: "notifications/progress", params: { progressToken: 99, progress: 1 } }],
        [">", '{"method":"notifications/initialized"}'],
        [">", { method: "tools/call", params: { name: "echo" } }],
      ],
    ],
    [
      "a response to nothing is dropped (R5)",
      [
        [">", { id: 5, result: {} }],
        [">", { id: "x", error: { code: 1, message: "no" } }],
        [">", { error: { code: -32700, message: "Parse error" } }],
        [">", { id: 5, result: {}, error: { code: 1, message: "no" } }],
      ],
    ],
    [
      "an array is -32600 without id where there are no batches (J-16)",
      [
        [">", [{ id: 1, method: "ping" }]],
        ["<", rejection(-32600, "A message must be a JSON object; batches are not supported")],
      ],
    ],
    [
      "ids come back unchanged: 0, empty, negative, the string of a number (J-06, R4)",
      [
        ...[0, "", -7, "7", "__proto__", Number.MAX_SAFE_INTEGER].flatMap((id): Line[] => [
          [">", call(id, "late")],
          ["<", { id, result: text("late") }],
        ]),
      ],
    ],
  ];
  test.each(cases)("an error has its code, and the connection survives it: %s", async (_, script) => {
    const { wire } = await serveWire({ handlers, capabilities: { tools: {} } }, newest.id);
    await runTranscript(wire, [...script, ping, pong]);
  });
});

test("details that are hidden from the peer are reported locally", async () => {
  const { wire, reports } = await serveWire({ handlers, capabilities: { tools: {} } }, newest.id);
  for (const [id, name] of ["throws", "refuses", "wrong result", "cycle"].entries())
    wire.post({ jsonrpc: "2.0", ...call(id, name) });
  await settle();
  expect(reports.map(({ kind, method, id }) => [kind, method, id])).toEqual([
    ["handler", "tools/call", 0],
    ["handler", "tools/call", 1],
    ["result", "tools/call", 2],
    ["result", undefined, undefined],
  ]);
  expect(reports[0]?.error.message).toBe("the password is hunter2");
});

test("a hook that throws has no further effect", async () => {
  const onError = (): never => {
    throw new Error("hook");
  };
  const { wire } = await serveWire({ handlers, capabilities: { tools: {} }, onError }, newest.id);
  await runTranscript(wire, [
    [">", call(1, "throws")],
    ["<", internal(1)],
    [">", "{"],
    ["<", rejection(-32700, "The message is not valid JSON")],
  ]);
});

describe("limits", () => {
  test("a message over the size limit is rejected once, and reading continues (R24)", async () => {
    const { wire } = await serveWire({ handlers, limits: { maxMessageBytes: 400 } }, newest.id);
    await runTranscript(wire, [
      [">", { id: 1, method: "ping", params: { _meta: { filler: "x".repeat(500) } } }],
      ["<", rejection(-32600, "The message is longer than 400 bytes", 1)],
      ping,
      pong,
    ]);
  });

  test("the default size limit is 16 MiB (R24)", async () => {
    const { wire } = await serveWire({ handlers }, newest.id);
    const part = new Uint8Array(1024 * 1024).fill(0x20);
    for (let count = 0; count < 16; count += 1) wire.write(part);
    expect(wire.sent).toEqual([]);
    wire.write(" ");
    wire.write(part);
    wire.write("\n");
    await runTranscript(wire, [["<", rejection(-32600, "The message is longer than 16777216 bytes")], ping, pong]);
  });

  test("nesting over the limit is rejected with the id (R10)", async () => {
    const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const request = (levels: number): string =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":${deep(levels)}}}}`;
    const { wire } = await serveWire({ handlers }, newest.id);
    await runTranscript(wire, [
      [">", request(61)],
      ["<", { id: 1, result: {} }],
      [">", request(62)],
      ["<", rejection(-32600, "The message is nested deeper than 64 levels", 1)],
      [">", request(100_000)],
      ["<", rejection(-32600, "The message is nested deeper than 64 levels", 1)],
    ]);
  });
});

describe("batches of a revision that has them", () => {
  const serve = async (): Promise<Awaited<ReturnType<typeof serveWire>>> =>
    serveWire({ handlers, capabilities: { tools: {} } }, batching.id);

  test("a mixed batch gets one response array (J-13)", async () => {
    const { wire } = await serve();
    wire.post([
      { jsonrpc: "2.0", ...call(1, "late") },
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { jsonrpc: "2.0", id: 2, method: "ping" },
      5,
      { jsonrpc: "2.0", ...call(3, "throws") },
      { jsonrpc: "2.0", id: 9, result: {} },
    ]);
    await settle();
    expect(wire.sent).toHaveLength(1);
    expect(wire.sent[0]).toHaveLength(4);
    expect(wire.sent[0]).toEqual(
      expect.arrayContaining([
        { jsonrpc: "2.0", id: 1, result: text("late") },
        { jsonrpc: "2.0", id: 2, result: {} },
        { jsonrpc: "2.0", error: { code: -32600, message: "A message must be a JSON object" } },
        { jsonrpc: "2.0", ...internal(3) },
      ]),
    );
  });

  const cases: readonly [string, readonly Line[]][] = [
    [
      "an empty batch is -32600 (J-15)",
      [
        [">", []],
        ["<", rejection(-32600, "A batch must not be empty")],
      ],
    ],
    [
      "a batch of notifications gets no reply (J-15)",
      [[">", [{ method: "notifications/roots/list_changed" }, { method: "no/such" }]]],
    ],
    ["a batch of responses gets no response", [[">", [{ id: 1, result: {} }]]]],
    [
      "one invalid member yields one error (J-15)",
      [
        [">", [1]],
        ["<", [rejection(-32600, "A message must be a JSON object")]],
      ],
    ],
    [
      "a nested batch is an invalid member",
      [
        [">", [[]]],
        ["<", [rejection(-32600, "A message must be a JSON object")]],
      ],
    ],
    [
      "initialize is never part of a batch (J-14)",
      [
        [">", [{ id: 1, method: "initialize" }]],
        ["<", [rejection(-32600, "initialize must not be part of a batch", 1)]],
      ],
    ],
    [
      "a batch over 100 members is refused as a whole (R7)",
      [
        [">", Array.from({ length: 101 }, (_, id) => ({ id, method: "ping" }))],
        ["<", rejection(-32600, "A batch must not have more than 100 messages")],
      ],
    ],
    [
      "a result that JSON cannot carry spoils only its own member",
      [
        [">", [call(1, "cycle"), { id: 2, method: "ping" }]],
        ["<", [internal(1), { id: 2, result: {} }]],
      ],
    ],
    ["single messages are served as well", [ping, pong]],
  ];
  test.each(cases)("a batch: %s", async (_, script) => {
    const { wire } = await serve();
    await runTranscript(wire, script);
  });

  test("a cancelled member is left out of the response", async () => {
    const { wire } = await serveWire(
      { handlers: { callTool: () => new Promise(() => {}) }, capabilities: { tools: {} } },
      batching.id,
    );
    await runTranscript(wire, [
      [">", [call(1, "hangs"), { id: 2, method: "ping" }]],
      [">", { method: "notifications/cancelled", params: { requestId: 1 } }],
      ["<", [{ id: 2, result: {} }]],
    ]);
  });

  test("arrays are invalid before the revision is agreed on, also there (J-16)", async () => {
    const { wire } = await serveWire({ revisions: [batching] });
    await runTranscript(wire, [
      [">", [{ id: 1, method: "ping" }]],
      ["<", rejection(-32600, "A message must be a JSON object; batches are not supported")],
    ]);
  });

  test("one revision exactly has batches", () => {
    expect(handshakeRevisions.filter((revision) => revision.batching).map(({ id }) => id)).toEqual([batching.id]);
  });
});

test("a static result is sent unchanged, on every connection", async () => {
  const result = new StaticResult({ tools: [] });
  const options = { handlers: new Map([["listTools", () => result]]), capabilities: { tools: {} } };
  for (const { id } of handshakeRevisions) {
    const { wire } = await serveWire(options, id);
    await runTranscript(wire, [
      [">", { id: 1, method: "tools/list" }],
      ["<", { id: 1, result: { tools: [] } }],
    ]);
  }
});

test("handlers may be methods of an instance and keep their this", async () => {
  class Tools {
    readonly response = text("mine");
    callTool(): object {
      return this.response;
    }
  }
  const { wire } = await serveWire({ handlers: new Tools(), capabilities: { tools: {} } }, newest.id);
  await runTranscript(wire, [
    [">", call(1, "x")],
    ["<", { id: 1, result: text("mine") }],
  ]);
});
