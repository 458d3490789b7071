import { afterEach, describe, expect, test, vi } from "vitest";
import { isPeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";
import { openSession, type WiredSession } from "./session-wire.ts";

/* What a server says is passed on as it is: nothing of it is understood in a way of its own, opened, fetched or run. */

afterEach(() => vi.restoreAllMocks());

const capabilities = { tools: {}, resources: {}, prompts: {} };

/** Makes a call, to which the raw server responds. */
async function respondTo(
  { wire }: WiredSession,
  call: () => Promise<unknown>,
  result: object,
): Promise<{ readonly value: unknown; readonly error: unknown }> {
  const before = wire.sent.length;
  const pending = call().then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  );
  await settle();
  for (const message of wire.sent.slice(before))
    wire.post({ jsonrpc: "2.0", id: Reflect.get(Object(message), "id"), ...result });
  return pending;
}

describe.each(handshakeRevisions.map(({ id }) => id))("at revision %s", (revision) => {
  test.each([-32_002, -32_000, -32_001, -32_003, -32_010, -32_019, -1, 0, 404, 1_001])(
    "an error with code %i is passed on as the server's, whatever the code means elsewhere (C-007, C-008)",
    async (code) => {
      const opened = await openSession({}, { revision, capabilities });
      const error = { code, message: "The server says so", data: { uri: "a://b" } };
      const outcome = await respondTo(opened, () => opened.session.readResource("a://b"), { error });
      expect(outcome.error).toSatisfy(isPeerError);
      expect(outcome.error).toMatchObject(error);
      expect(opened.session.state).toBe("INITIALIZED");
      await opened.client.close();
    },
  );

  test("a failed tool gives a result, which a model can be shown (TL-09, C-083)", async () => {
    const opened = await openSession({}, { revision, capabilities });
    const result = { content: [{ type: "text", text: "No such account" }], isError: true };
    const outcome = await respondTo(opened, () => opened.session.request("tools/call", { name: "pay" }), { result });
    expect(outcome.value).toEqual(result);
    await opened.client.close();
  });

  test("schemas of tools keep unknown keywords (C-086)", async () => {
    const opened = await openSession({}, { revision, capabilities });
    const inputSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string", "x-unit": "m", widget: { kind: "slider" } } },
      "x-order": ["a"],
      unevaluatedProperties: false,
      $defs: { b: { $anchor: "b", deprecated: true } },
    };
    const tools = [{ name: "t", inputSchema }];
    const outcome = await respondTo(opened, () => opened.session.listTools(), { result: { tools } });
    expect(outcome.value).toEqual(tools);
    await opened.client.close();
  });
});

describe("URLs in messages of a server", () => {
  const url = "http://127.0.0.1:9/touched";
  const icons = [{ src: url, mimeType: "image/svg+xml" }];
  const content = [
    { type: "text", text: `See [this](${url}) <img src="${url}"> ; rm -rf /` },
    { type: "resource_link", uri: url, name: "link", icons },
    { type: "resource", resource: { uri: url, mimeType: "text/html", text: `<script src="${url}"></script>` } },
  ];

  test("URLs in messages are not fetched, and are not changed (R53)", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("nothing may be fetched"));
    const opened = await openSession({}, { capabilities });
    const call = await respondTo(opened, () => opened.session.request("tools/call", { name: "t" }), {
      result: { content },
    });
    expect(call.value).toEqual({ content });
    const tools = [{ name: "t", inputSchema: { type: "object", $ref: url, properties: { a: { $ref: url } } }, icons }];
    const list = await respondTo(opened, () => opened.session.listTools(), { result: { tools } });
    expect(list.value).toEqual(tools);
    expect(fetched).not.toHaveBeenCalled();
    await opened.client.close();
  });

  test("URLs of an elicitation are opened by the program only, unchanged (C-094, C-095, E-17)", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("nothing may be fetched"));
    const shown: unknown[] = [];
    const decline = (params: object): object => {
      shown.push(Reflect.get(params, "url"));
      return { action: "decline" };
    };
    const opened = await openSession({ elicitation: { url: decline } });
    const whole = `${url}?state=1#x`;
    const params = { mode: "url", message: `Go to ${url}`, elicitationId: "1", url: whole };
    opened.wire.sent.length = 0;
    opened.wire.post({ jsonrpc: "2.0", id: 7, method: "elicitation/create", params });
    await settle();
    expect(shown).toEqual([whole]);
    expect(opened.wire.sent).toMatchObject([{ id: 7, result: { action: "decline" } }]);
    expect(fetched).not.toHaveBeenCalled();
    await opened.client.close();
  });
});
