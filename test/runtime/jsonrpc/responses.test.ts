import { describe, expect, test } from "vitest";
import { encode } from "../../../runtime/framing/json.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { PeerError, RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { StaticResult, type Outgoing } from "../../../runtime/jsonrpc/message.ts";
import { toEncodable, transmit } from "../../../runtime/jsonrpc/responses.ts";

const internal = { code: -32603, message: "Internal error" };
const fine = { jsonrpc: "2.0", id: 1, result: { a: 1 } } as const;
const unwritable = { jsonrpc: "2.0", id: 2, result: { big: 1n } } as const;
const replaced = { jsonrpc: "2.0", id: 2, error: internal };

/** Sends through a channel, and lists what was sent and reported. */
async function send(
  outgoing: Outgoing,
  write: (message: Outgoing) => void | Promise<void>,
): Promise<{ readonly sent: Outgoing[]; readonly reports: ErrorReport[] }> {
  const sent: Outgoing[] = [];
  const reports: ErrorReport[] = [];
  const channel = {
    send(message: Outgoing): void | Promise<void> {
      const done = write(message);
      sent.push(message);
      return done;
    },
  };
  transmit(outgoing, channel, { report: (report) => void reports.push(report) });
  await new Promise((resolve) => setImmediate(resolve));
  return { sent, reports };
}

describe("responses that can be written", () => {
  test.each([
    ["a result", fine],
    ["a static result", { ...fine, result: new StaticResult({ a: [] }) }],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } } as const],
    ["a batch", [fine, fine]],
  ])("%s is sent as it is", async (_, outgoing) => {
    expect(await send(outgoing, (message) => void encode(message))).toEqual({ sent: [outgoing], reports: [] });
    expect(toEncodable(outgoing)).toEqual(outgoing);
  });
});

describe("responses that cannot be written", () => {
  test.each([
    ["a big integer", unwritable, replaced],
    ["a result whose text is no object", { ...unwritable, result: new StaticResult([]) }, replaced],
    [
      "the data of an error",
      { jsonrpc: "2.0", id: 2, error: { code: 1, message: "no", data: 1n } } as const,
      { jsonrpc: "2.0", id: 2, error: internal },
    ],
    [
      "an error without id",
      { jsonrpc: "2.0", error: { code: 1, message: "no", data: 1n } } as const,
      { jsonrpc: "2.0", error: internal },
    ],
    ["a notification", { jsonrpc: "2.0", method: "m", params: 1n } as const, { jsonrpc: "2.0", error: internal }],
    ["one of a batch", [fine, unwritable], [fine, replaced]],
  ])("%s is replaced by an internal error and reported", async (_, outgoing, expected) => {
    const { sent, reports } = await send(outgoing, (message) => void encode(message));
    expect(sent).toStrictEqual([expected]);
    expect(reports).toMatchObject([{ kind: "result", error: expect.any(TypeError) }]);
  });

  test.each([
    ["a response", fine, { jsonrpc: "2.0", id: 1, error: { code: 5, message: "too long" } }],
    [
      "a batch",
      [fine, unwritable],
      [
        { jsonrpc: "2.0", id: 1, error: { code: 5, message: "too long" } },
        { jsonrpc: "2.0", id: 2, error: { code: 5, message: "too long" } },
      ],
    ],
  ])("an error of the transport replaces %s that it rejects", async (_, outgoing, expected) => {
    const error = new RpcError(5, "too long");
    let count = 0;
    const { sent, reports } = await send(outgoing, () => {
      count += 1;
      if (count === 1) throw error;
    });
    expect([sent, reports]).toEqual([[expected], [{ kind: "result", error }]]);
  });

  test("a response that is lost on its way is reported", async () => {
    const error = new PeerError({ code: 1, message: "gone" });
    const { sent, reports } = await send(fine, () => Promise.reject(error));
    expect([sent, reports]).toEqual([[fine], [{ kind: "transport", error }]]);
  });
});
