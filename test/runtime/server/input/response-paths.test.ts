import { expect, it } from "vitest";
import { embeddedRequests, revision } from "../../../../generated/2026-07-28/methods.ts";
import { checkCallToolRequestParams, checkListToolsResult } from "../../../../generated/2026-07-28/validate.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { readReturned } from "../../../../runtime/server/input/returned-requests.ts";
import { checkInputResponse } from "../../../../runtime/server/input/check-input.ts";
import { selectResponses } from "../../../../runtime/tasks/requestor-channel.ts";

/** Key with both characters that JSON Pointer escapes, and as it writes them. */
const key = "a/b~c";
const escaped = "a~1b~0c";

const form = {
  mode: "form",
  requestedSchema: { type: "object", properties: { [key]: { type: "string" } }, required: [key] },
};
const invalid = { action: "accept", content: { [key]: 7 } };
const elicit = embeddedRequests["elicitation/create"];

function pathOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error instanceof RpcError ? error.data : error;
  }
  return undefined;
}

it("issues of generated checks escape keys of messages, and keys of the protocol", () => {
  const tools = [{ name: "t", inputSchema: { type: "object" }, _meta: {} }];
  const cached = { resultType: "complete", ttlMs: 0, cacheScope: "public" };
  const info = { "io.modelcontextprotocol/serverInfo": 7 };
  expect(checkListToolsResult({ ...cached, tools, _meta: info })).toMatchObject({
    path: "_meta/io.modelcontextprotocol~1serverInfo",
  });
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { extensions: { [key]: 7 } },
  };
  expect(checkCallToolRequestParams({ name: "t", _meta: meta })).toMatchObject({
    path: `_meta/io.modelcontextprotocol~1clientCapabilities/extensions/${escaped}`,
  });
});

it("errors of input responses escape their keys", () => {
  const requests = { [key]: { method: "elicitation/create", params: form } };
  const path = `inputResponses/${escaped}/content/${escaped}`;
  expect(
    pathOf(() => selectResponses(requests, { [key]: invalid }, () => checkInputResponse(elicit, form, invalid))),
  ).toMatchObject({ path });
  const returned = { requests: [{ key, method: "elicitation/create", params: form }] };
  expect(pathOf(() => readReturned(returned, { [key]: invalid }, { revision }))).toMatchObject({ path });
});
