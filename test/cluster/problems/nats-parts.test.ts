import { expect, onTestFinished, test, vi } from "vitest";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { createEngine, MemoryLink, MemoryNats } from "../memory-nats.ts";

/* Values that need several messages, and their parts in the store; positions of broadcasts. */

/** Link whose writes of values fail, but not those of their parts. */
class FailingLink extends MemoryLink {
  isFailing = false;

  override publish(subject: string, data: string | Uint8Array, last?: number): Promise<number | "conflict"> {
    if (this.isFailing && subject.startsWith("shop-v1.values."))
      return Promise.reject(new EngineError("The server is away"));
    return super.publish(subject, data, last);
  }
}

async function start() {
  const server = new MemoryNats();
  const link = new FailingLink(server);
  const [first, second] = [createEngine(link), createEngine(new MemoryLink(server))];
  await Promise.all([first.open(), second.open()]);
  onTestFinished(() => Promise.all([first.close(), second.close()]).then(() => {}));
  const parts = () => server.find("shop-v1-lasting-parts", ">");
  const [values, others] = [first.values, second.values];
  if (!values || !others) throw new Error("The engine has no values");
  return { link, server, nodes: first.nodes, parts, values, others };
}

const long = "é".repeat(20_000);

test("a value is found whole on another node, and its parts end with it", async () => {
  const { parts, values, others } = await start();
  await values.set("a", long, 60_000);
  expect([parts().length > 2, await others.get("a")]).toEqual([true, long]);
  await others.set("a", `${long}!`, 60_000);
  expect(await values.get("a")).toBe(`${long}!`);
  await values.set("a", "short", 60_000);
  expect(await others.get("a")).toBe("short");
  await others.delete("a");
  await expect.poll(() => parts().length).toBe(0);
  expect(await values.get("a")).toBeUndefined();
});

test("a value of which a part is lost is not found", async () => {
  const { parts, server, values, others } = await start();
  await values.set("a", long, 60_000);
  server.remove(parts().slice(-1));
  expect(await others.get("a")).toBeUndefined();
});

test("parts of a value that was not stored are removed by a later write, but for young ones", async () => {
  let passed = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + passed);
  onTestFinished(() => void vi.restoreAllMocks());
  const { link, parts, values, others } = await start();
  link.isFailing = true;
  await expect(values.set("a", long, 60_000)).rejects.toThrow(EngineError);
  const { length } = parts();
  expect(length).toBeGreaterThan(2);
  link.isFailing = false;
  await values.set("b", long, 24 * 3_600_000);
  await expect.poll(() => parts().length).toBe(2 * length);
  passed = 3_600_000;
  for (const text of ["c", "d"]) await others.set(text, long, 24 * 3_600_000);
  await expect.poll(() => parts().length).toBe(3 * length);
  expect([await values.get("a"), await values.get("b")]).toEqual([undefined, long]);
});

test("broadcasts after a position of another server, or one that is not known yet, are unknown", async () => {
  const { nodes } = await start();
  const position = await nodes.broadcast({ kind: "updated", uris: ["a"], sender: "n" });
  const [sequence, epoch] = position.split("-");
  expect(await nodes.broadcastsAfter(position)).toEqual([]);
  for (const other of [`${Number(sequence) + 1}-${epoch}`, `${sequence}-other`, `${sequence}`, `x-${epoch}`])
    expect(await nodes.broadcastsAfter(other)).toBeUndefined();
});
