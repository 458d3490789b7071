import { expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connectHttp, type ConnectHttpOptions } from "../../../runtime/client/connect-http.ts";
import { statelessRevision, handshakeRevisions } from "../../kit/revisions.ts";

const sessions: Partial<ConnectHttpOptions> = { revisions: handshakeRevisions };

test.each<[string, number, Partial<ConnectHttpOptions>, boolean]>([
  ["is not found", 404, sessions, true],
  ["does not allow the method", 405, sessions, true],
  ["finds the request invalid", 400, { ...sessions, lifecycle: "handshake" }, true],
  ["rejects the credentials", 403, sessions, false],
  ["fails", 500, sessions, false],
  ["fails, which counts as older", 500, { ...sessions, olderServerStatuses: [500] }, true],
  ["is not found, which does not count as older", 404, { ...sessions, olderServerStatuses: [] }, false],
  ["is not found, of a client without sessions", 404, { revisions: [statelessRevision] }, false],
  ["is not found, of a client that opens no session", 404, { revisions, lifecycle: "per-request" }, false],
])("a server that %s (%i) is tried by the older transport, unless it cannot be older: %j, %s", async (...row) => {
  const [, status, options, isTried] = row;
  const methods: (string | undefined)[] = [];
  const connecting = connectHttp("http://localhost/mcp", {
    info: { name: "c", version: "1" },
    revisions: handshakeRevisions,
    ...options,
    fetch: (_url: unknown, request?: RequestInit) => {
      methods.push(request?.method ?? "GET");
      return Promise.resolve(new Response("no", { status: request?.method === "POST" ? status : 418 }));
    },
  });
  const error: unknown = await connecting.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "HttpError", status });
  expect(methods.includes("GET")).toBe(isTried);
});
