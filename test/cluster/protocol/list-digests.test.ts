import { expect, test } from "vitest";
import { ListDigests } from "../../../cluster/list-digests.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { override } from "../../kit/override.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import type { Broadcast } from "../../../cluster/stores/node-directory.ts";

type Lists = Broadcast & { readonly kind: "lists" };

/** Begins to serve lists with one tool, and returns the digests of a list of tools. */
async function begin() {
  const engine = createMemoryCluster().connect();
  await engine.open();
  const sent: Lists[] = [];
  const nodes = override(engine.nodes, {
    broadcast: (broadcast) => {
      if (broadcast.kind === "lists") sent.push(broadcast);
      return "";
    },
  });
  const changed: string[] = [];
  let tools = "[a]";
  const digests = new ListDigests({
    nodes,
    clock: new ManualClock(),
    lease: 6_000,
    self: { name: "self", isStable: true },
    describeLists: () => new Map([["tools", tools]]),
    changed: (kind) => changed.push(kind),
    fail: (thrown) => expect.unreachable(String(thrown)),
  });
  await digests.broadcast();
  const [first] = sent;
  if (!first) throw new Error("nothing was broadcast");
  return { digests, changed, first, change: (text: string) => (tools = text) };
}

test("a node whose lists have changed compares the present ones with those of a node that begins to serve", async () => {
  const { digests, changed, first, change } = await begin();
  change("[a, b]");
  await digests.receive({ ...first, node: "with [a]" });
  expect(changed).toEqual(["tools"]);
});

test("a node whose lists have not changed has the lists of a node that begins to serve with the same ones", async () => {
  const { digests, changed, first } = await begin();
  await digests.receive({ ...first, node: "with [a]" });
  expect(changed).toEqual([]);
});
