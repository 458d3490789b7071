import { expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { settle } from "./connected.ts";
import { newest } from "../../kit/revisions.ts";

const long = "x".repeat(1_000_000);

async function serve(): Promise<{ readonly wire: Wire; readonly reports: ErrorReport[]; readonly reasons: unknown[] }> {
  const reports: ErrorReport[] = [];
  const reasons: unknown[] = [];
  const server = createServer(
    {
      name: "test",
      version: "1",
      onError: (report) => reports.push(report),
      tools: [
        {
          name: "wait",
          execute: (_none, { signal }) =>
            new Promise<string>((resolve) => {
              signal.addEventListener("abort", () => {
                reasons.push(signal.reason);
                resolve("");
              });
            }),
        },
      ],
      prompts: [{ name: "p", get: () => "" }],
      resources: [{ uri: "note://a", name: "a", read: () => "" }],
    },
    revisions,
  );
  const wire = new Wire();
  createServerAcceptor(server)(wire);
  wire.post(initialize(newest.id), initialized);
  await settle();
  wire.sent.length = 0;
  return { wire, reports, reasons };
}

test.each([
  ["a method", long, {}],
  ["a tool", "tools/call", { name: long }],
  ["a prompt", "prompts/get", { name: long }],
  ["a resource", "resources/read", { uri: `note://${long}` }],
  [
    "a prompt to complete",
    "completion/complete",
    { ref: { type: "ref/prompt", name: long }, argument: { name: "a", value: "" } },
  ],
  ["a member that does not fit", "prompts/get", { name: "p", arguments: { [long]: 1 } }],
])("an error does not repeat %s of a million characters", async (_, method, params) => {
  const { wire, reports } = await serve();
  wire.post({ jsonrpc: "2.0", id: 1, method, params });
  await settle();
  expect(wire.sent).toMatchObject([{ id: 1, error: { code: expect.any(Number) } }]);
  expect(JSON.stringify(wire.sent).length).toBeLessThan(6_000);
  expect(Math.max(0, ...reports.map(({ error }) => error.message.length))).toBeLessThan(3_000);
});

test("a report does not repeat a notification of a million characters", async () => {
  const { wire, reports } = await serve();
  wire.post({ jsonrpc: "2.0", method: long });
  await settle();
  expect(reports).toHaveLength(1);
  expect(reports[0]?.error.message.length).toBeLessThan(3_000);
});

test("a handler that is cancelled receives the beginning of a long reason", async () => {
  const { wire, reasons } = await serve();
  wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } });
  wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: long } });
  await settle();
  expect(reasons).toHaveLength(1);
  expect(Object(reasons[0]).message.length).toBeLessThan(3_000);
});
