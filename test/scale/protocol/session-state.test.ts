import { afterEach, expect, it } from "vitest";
import * as z from "zod";
import { createSessionState } from "../../../runtime/server/session-state.ts";
import { call, textOf } from "../../runtime/transport/http-server/http-rig.ts";
import { startServerNodes, type Definition, type ServerNodes } from "./server-nodes.ts";

const schema = z.object({ count: z.number().default(0), text: z.string().default("") });

/** Each node has states of its own with the same names, as separate processes have. */
function define(): Definition {
  const counts = createSessionState("counts", schema);
  const large = createSessionState("large", schema, { maxBytes: 1_000_000 });
  return {
    name: "counting",
    version: "1",
    tools: [
      {
        name: "count",
        execute: async (_args, { session }) =>
          String((await counts.update(session, (state) => ({ ...state, count: state.count + 1 }))).count),
      },
      { name: "read", execute: async (_args, { session }) => String((await counts.get(session)).count) },
      {
        name: "fill",
        async execute(_args, { session }) {
          const text = "a".repeat(70_000);
          await large.update(session, (state) => ({ ...state, text: state.text + text }));
          return "filled";
        },
      },
    ],
  };
}

let nodes: ServerNodes | undefined;

afterEach(async () => {
  await nodes?.close();
  nodes = undefined;
});

it(
  "nodes of a cluster share the state of a session, and its changes run one after another",
  { timeout: 30_000 },
  async () => {
    nodes = await startServerNodes(define);
    const all = nodes;
    const [one, other] = [await all.open(), await all.open()];
    let id = 1;
    const ask = async (node: number, headers: Record<string, string>, tool: string): Promise<string> => {
      id += 1;
      const { text, json } = await all.send(node, { body: call(id, tool), headers });
      return textOf(json ?? /^data: (\{.*)$/m.exec(text)?.[1]);
    };
    const counts = await Promise.all(Array.from({ length: 9 }, (_, at) => ask(at % 3, one, "count")));
    expect(counts.map(Number).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const node of [0, 1, 2]) expect(await ask(node, one, "read")).toBe("9");
    expect(await ask(1, other, "count")).toBe("1");
    expect(await ask(2, other, "read")).toBe("1");
    expect(await ask(0, other, "fill")).toBe("filled");
    expect(await ask(1, other, "fill")).toBe("The tool failed");
    expect(await ask(2, other, "read")).toBe("1");
  },
);
