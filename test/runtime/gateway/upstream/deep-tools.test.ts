import { afterEach, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import type { OnError } from "../../../../runtime/jsonrpc/error-report.ts";
import { omitDeepTools } from "../../../../runtime/gateway/upstream/deep-tools.ts";
import { newest } from "../../../kit/revisions.ts";
import { joinGateway } from "../connect-client.ts";
import { createScripted } from "./scripted-server.ts";

/* Tools that are nested too deeply for clients, which would lose the whole list by them. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Returns a value with as many levels of objects and lists. */
function nest(levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((inner, _, index) => (index % 2 ? [inner] : { inner }), null);
}

const flat = { name: "flat" };
const deepest = { name: "deepest", schema: nest(6) };
const deeper = { name: "deeper", schema: nest(7) };

test.each<readonly [string, unknown, unknown, readonly string[]]>([
  ["no tool within the limit", { tools: [flat, deepest] }, { tools: [flat, deepest] }, []],
  ["a tool beyond it, and keeps the rest", { tools: [deeper, flat], a: 1 }, { tools: [flat], a: 1 }, ["deeper"]],
  ["a tool without a name", { tools: [{ schema: nest(7) }] }, { tools: [] }, ["undefined"]],
  ["a tool that is a list", { tools: [nest(8)] }, { tools: [] }, [""]],
  ["nothing of a result without tools", { tools: nest(9) }, { tools: nest(9) }, []],
  ["nothing of what is no result", nest(9), nest(9), []],
])("a list of tools for messages of 10 levels omits %s", (_what, result, shown, leftOut) => {
  expect(omitDeepTools(result, 10)).toEqual({ result: shown, leftOut });
});

test.each([
  [{ maxDepth: 20 }, 20],
  [{}, 64],
])(
  "a gateway with the options %j reports a tool that it omits because of its depth: %d levels",
  async (options, most) => {
    const tools = [
      { name: "deep", inputSchema: { type: "object", properties: { a: nest(most + 1) } } },
      { name: "flat", inputSchema: { type: "object" } },
    ];
    const { open } = createScripted({ revision: newest, capabilities: { tools: {} } }, ({ method }) =>
      method === "tools/list" ? { tools } : undefined,
    );
    const errors: string[] = [];
    const onError: OnError = ({ kind, method, error }) => void errors.push(`${kind} ${method}: ${error.message}`);
    const gateway = await createGateway(open, { revisions, ...options, onError });
    ends.push(() => gateway.close());
    const client = await joinGateway(gateway, newest);
    ends.push(() => client.close());
    expect(await client.request("tools/list")).toEqual({ tools: tools.slice(1) });
    expect(errors).toEqual([
      `protocol tools/list: The tool "deep" is omitted; it is nested deeper than ${most} levels`,
    ]);
  },
);
