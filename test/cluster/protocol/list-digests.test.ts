import { expect, test } from "vitest";
import { ListDigests } from "../../../cluster/list-digests.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { override } from "../../kit/override.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import type { Broadcast } from "../../../cluster/stores/node-directory.ts";

type Lists = Broadcast & { readonly kind: "lists" };

/** Begins to serve lists with one tool, and returns the digests of a list of tools. */
async function begin() {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  const sent: Lists[] = [];
  const nodes = override(engine.nodes, {
    broadcast: (broadcast) => {
      if (broadcast.kind === "lists") sent.push(broadcast);
      return "";
    },
  });
  const changed: string[] = [];
  const self = { name: "self", isStable: true };
  let tools = "[a]";
  const digests = new ListDigests({
    nodes,
    clock,
    lease: 6_000,
    self,
    describeLists: () => new Map(tools === "" ? [] : [["tools", tools]]),
    changed: (kind) => changed.push(kind),
    fail: (thrown) => expect.unreachable(String(thrown)),
  });
  // It is not compared before the node serves lists itself.
  await digests.receive({ kind: "lists", node: "early", digests: { tools: "" } });
  expect([changed, sent]).toEqual([[], []]);
  await digests.broadcast();
  const [first] = sent;
  if (!first) throw new Error("nothing was broadcast");
  const change = (text: string): string => (tools = text);
  return { clock, engine, digests, changed, sent, first, self, change };
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

const other: Lists = { kind: "lists", node: "other", digests: { tools: "another" } };

test("a node sends its digests to each node with other lists, once, and not to itself", async () => {
  const { digests, changed, sent, first } = await begin();
  await digests.receive({ ...other, node: "self" });
  expect([changed, sent]).toEqual([[], [first]]);
  await digests.receive(other);
  expect([changed, sent]).toEqual([["tools"], [first, first]]);
  await digests.receive(other);
  expect([changed, sent]).toEqual([["tools"], [first, first]]);
});

test("the lists change once more when the node with other ones stops, as seen by a node with a lease", async () => {
  const { clock, engine, digests, changed, self } = await begin();
  await engine.nodes.renew("other", { milliseconds: 4_500, isNew: true });
  await digests.receive(other);
  await clock.pass(4_000);
  expect(changed).toEqual(["tools"]);
  self.isStable = false;
  await clock.pass(4_000);
  expect(changed).toEqual(["tools"]);
  self.isStable = true;
  await clock.pass(2_000);
  expect(changed).toEqual(["tools", "tools"]);
  await clock.pass(10_000);
  expect(changed).toEqual(["tools", "tools"]);
});

test("a node that stops sends no digests, and compares none", async () => {
  const { clock, digests, changed, sent } = await begin();
  await digests.receive(other);
  digests.stop();
  await digests.receive({ ...other, node: "third" });
  await digests.broadcast();
  await clock.pass(10_000);
  expect([changed, sent.length]).toEqual([["tools"], 2]);
});

test("a node without lists sends no digests", async () => {
  const { digests, sent, change } = await begin();
  change("");
  await digests.broadcast();
  expect(sent).toHaveLength(1);
});
