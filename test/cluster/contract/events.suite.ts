import { describe, expect, test } from "vitest";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { AppendOutcome, StreamAppend, StreamPart } from "../../../cluster/stores/shared-event-store.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { firstNode, key, secondNode, startTwoNodes, strangers } from "./cluster.ts";

/** Name of the stream of most tests. */
const stream = "first000000000";

/** Declares the tests of the event store of an engine. */
export function describeEvents(fixture: EngineFixture): void {
  describe("appends of a shared event store", () => {
    test("a shared event store returns appended events on another node, in order", async () => {
      const { first, second } = await startTwoNodes(fixture);
      expect(await append(first, 0, ["a", "b"], { requests: [1] })).toBe("stored");
      expect(await append(first, 2, ["c"])).toBe("stored");
      expect(await read(second, -1)).toEqual({
        events: [
          { sequence: 0, data: "a" },
          { sequence: 1, data: "b" },
          { sequence: 2, data: "c" },
        ],
        next: 3,
        owner: firstNode,
        fence: 0,
        open: [1],
        isResponse: true,
        isEnded: false,
      });
      expect(textsOf(await read(second, 0))).toEqual(["b", "c"]);
      expect(textsOf(await read(second, 2))).toEqual([]);
    });

    test("a shared event store keeps any text, and empty ones", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const texts = ["", '{"a":"é😀"}', "a\u0000b", "a\r\nb\u2028c", "", "0", "null", " "];
      await append(first, 0, texts, { requests: ["", "a\u0000", 1, "1"] });
      expect(textsOf(await read(second, -1))).toEqual(texts);
      expect(sortedIds((await read(second, -1))?.open)).toEqual(sortedIds(["", "a\u0000", 1, "1"]));
    });

    test("a stream without requests is no response and has no open requests", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"]);
      await first.events.append(key, { stream: "b", owner: firstNode, fence: 0, first: 0, data: [], requests: [] });
      expect(await read(second, -1)).toMatchObject({ open: [], isResponse: false, isEnded: false, next: 1 });
      const empty = await second.events.read(key, { stream: "b", sequence: -1 });
      expect(empty).toMatchObject({ events: [], open: [], isResponse: false, isEnded: false, next: 0 });
    });

    test("a repeated append changes nothing", async () => {
      const { first, second } = await startTwoNodes(fixture);
      for (let time = 0; time < 2; time += 1)
        expect(await append(first, 0, ["a", "b"], { requests: [1] })).toBe("stored");
      for (let time = 0; time < 2; time += 1) expect(await append(first, 2, ["c"])).toBe("stored");
      expect(await append(first, 0, ["a", "b"], { requests: [1] })).toBe("stored");
      expect(await append(first, 1, ["b"])).toBe("stored");
      expect(textsOf(await read(second, -1))).toEqual(["a", "b", "c"]);
    });

    test("an append that repeats events and adds others adds the others only", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a", "b"]);
      expect(await append(first, 1, ["b", "c", "d"])).toBe("stored");
      expect(textsOf(await read(second, -1))).toEqual(["a", "b", "c", "d"]);
    });

    test("an append after a gap is rejected and stores nothing", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      expect(await append(first, 2, ["c"], { settled: [1] })).toBe("gap");
      expect(await read(second, -1)).toMatchObject({ next: 1, open: [1], isEnded: false });
      expect(await append(first, 1, ["b"])).toBe("stored");
    });

    test("an append to an unknown stream is fenced unless it creates the stream", async () => {
      const { first, second } = await startTwoNodes(fixture);
      expect(await append(first, 3, ["a"])).toBe("fenced");
      expect(await append(first, 1, [])).toBe("fenced");
      expect(await read(second, -1)).toBeUndefined();
    });

    test("an append of another node is fenced", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      expect(await append(second, 0, ["x"], { owner: secondNode, requests: [2] })).toBe("fenced");
      expect(await append(second, 1, ["x"], { owner: secondNode, settled: [1] })).toBe("fenced");
      expect(await append(second, 9, ["x"], { owner: secondNode })).toBe("fenced");
      expect(await read(second, -1)).toMatchObject({ next: 1, owner: firstNode, open: [1] });
    });

    test("streams of the same name in different sessions are different streams", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const other = { id: "other", owner: key.owner };
      await append(first, 0, ["a"]);
      await second.events.append(other, { stream, owner: secondNode, fence: 0, first: 0, data: ["b"] });
      expect(textsOf(await read(second, -1))).toEqual(["a"]);
      expect(textsOf(await first.events.read(other, { stream, sequence: -1 }))).toEqual(["b"]);
    });

    test("a shared event store never finds a stream with the key of another owner", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      for (const stranger of strangers) {
        expect(await second.events.read(stranger, { stream, sequence: -1 })).toBeUndefined();
        const added = { stream, owner: firstNode, fence: 0, first: 1, data: ["x"] };
        expect(await second.events.append(stranger, added)).toBe("fenced");
        expect(await second.events.adopt(stranger, { stream, fence: 0, node: secondNode })).toBeUndefined();
        expect(await second.events.seal(stranger, { stream, fence: 0, node: secondNode, data: ["x"] })).toBe(false);
        await second.events.remove(stranger);
      }
      expect(await read(first, -1)).toMatchObject({ next: 1, owner: firstNode, isEnded: false });
    });

    test("appends of many streams at once are all stored", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const names = Array.from({ length: 30 }, (_, index) => `stream${index}`);
      for (let sequence = 0; sequence < 5; sequence += 1) {
        const add = async (name: string, index: number): Promise<unknown> =>
          (index % 2 === 0 ? first : second).events.append(key, {
            stream: name,
            owner: firstNode,
            fence: 0,
            first: sequence,
            data: [`${name} ${sequence}`],
          });
        const results = await Promise.all(names.map(add));
        expect(new Set(results)).toEqual(new Set(["stored"]));
      }
      for (const name of names) {
        const part = await second.events.read(key, { stream: name, sequence: 2 });
        expect(textsOf(part)).toEqual([`${name} 3`, `${name} 4`]);
      }
    });
  });

  describe("ends of streams of a shared event store", () => {
    test("a stream ends when each of its requests has its response", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1, "1", 2] });
      await append(first, 1, ["b"], { settled: ["1"] });
      const part = await read(second, -1);
      expect(sortedIds(part?.open)).toEqual([1, 2]);
      expect(part?.isEnded).toBe(false);
      await append(first, 2, ["c"], { settled: [1, 2] });
      expect(await read(second, -1)).toMatchObject({ next: 3, open: [], isResponse: true, isEnded: true });
    });

    test("a stream that is created with its response has ended", async () => {
      const { first, second } = await startTwoNodes(fixture);
      expect(await append(first, 0, ["a"], { requests: [1], settled: [1] })).toBe("stored");
      expect(await read(second, -1)).toMatchObject({ next: 1, open: [], isEnded: true });
    });

    test("a request that gets no response is settled without an event", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      expect(await append(first, 1, [], { settled: [1] })).toBe("stored");
      expect(await append(first, 1, [], { settled: [1] })).toBe("stored");
      expect(await read(second, 0)).toMatchObject({ events: [], next: 1, isEnded: true });
    });

    test("a repeated append that ended a stream is stored, and any other is fenced", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      for (let time = 0; time < 3; time += 1) {
        expect(await append(first, 1, ["b"], { settled: [1] })).toBe("stored");
      }
      expect(await append(first, 2, ["c"])).toBe("fenced");
      expect(await append(first, 1, ["b", "c"])).toBe("fenced");
      expect(await append(first, 5, ["c"])).toBe("fenced");
      expect(textsOf(await read(second, -1))).toEqual(["a", "b"]);
    });

    test("a response to a request of no stream changes nothing", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      await append(first, 1, ["b"], { settled: ["1", 2] });
      expect(await read(second, -1)).toMatchObject({ open: [1], isEnded: false });
      await second.events.append(key, { stream: "b", owner: firstNode, fence: 0, first: 0, data: ["a"] });
      await second.events.append(key, { stream: "b", owner: firstNode, fence: 0, first: 1, data: [], settled: [1] });
      expect(await second.events.read(key, { stream: "b", sequence: -1 })).toMatchObject({ isEnded: false });
    });

    test("removed streams are unknown, and their owners are fenced", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"]);
      await first.events.append(key, { stream: "b", owner: firstNode, fence: 0, first: 0, data: ["a"] });
      for (let time = 0; time < 2; time += 1) await second.events.remove(key);
      expect(await read(second, -1)).toBeUndefined();
      expect(await first.events.read(key, { stream: "b", sequence: -1 })).toBeUndefined();
      expect(await append(first, 1, ["b"])).toBe("fenced");
      expect(await second.events.seal(key, { stream, fence: 0, node: secondNode, data: [] })).toBe(false);
      expect(await second.events.adopt(key, { stream, fence: 0, node: secondNode })).toBeUndefined();
    });
  });

  describe("seals of a shared event store", () => {
    const seal = { stream, fence: 0, node: secondNode, data: ["error"] };

    test("a seal adds its events, ends the stream and fences the late owner", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1, 2] });
      expect(await second.events.seal(key, { ...seal, data: ["error 1", "error 2"] })).toBe(true);
      expect(await append(first, 1, ["answer"], { settled: [1, 2] })).toBe("fenced");
      expect(await append(first, 0, ["a", "answer"], { settled: [1, 2] })).toBe("fenced");
      expect(await append(first, 1, [])).toBe("fenced");
      expect(await append(second, 3, ["more"], { owner: secondNode, fence: 1 })).toBe("fenced");
      const part = await read(first, -1);
      expect(textsOf(part)).toEqual(["a", "error 1", "error 2"]);
      expect(part).toMatchObject({ next: 3, open: [], isResponse: true, isEnded: true });
    });

    test("a stream is sealed once", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      expect(await second.events.seal(key, seal)).toBe(true);
      expect(await second.events.seal(key, seal)).toBe(false);
      expect(await second.events.seal(key, { ...seal, fence: 1 })).toBe(false);
      expect(await second.events.adopt(key, { stream, fence: 1, node: firstNode })).toBeUndefined();
      expect(textsOf(await read(first, -1))).toEqual(["a", "error"]);
    });

    test("a stream that its owner has ended is not sealed", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["answer"], { requests: [1], settled: [1] });
      expect(await second.events.seal(key, seal)).toBe(false);
      expect(textsOf(await read(second, -1))).toEqual(["answer"]);
    });

    test("a stream with another fence, or an unknown one, is not sealed", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      expect(await second.events.seal(key, { ...seal, fence: 1 })).toBe(false);
      expect(await second.events.seal(key, { ...seal, stream: "unknown" })).toBe(false);
      expect(await read(second, -1)).toMatchObject({ owner: firstNode, next: 1, isEnded: false });
      expect(await append(first, 1, ["b"])).toBe("stored");
    });

    test("a stream that two nodes seal while its owner responds has one end", async () => {
      const { first, second } = await startTwoNodes(fixture);
      for (let round = 0; round < 20; round += 1) {
        const name = `round${round}`;
        await first.events.append(key, {
          stream: name,
          owner: firstNode,
          fence: 0,
          first: 0,
          data: [""],
          requests: [round],
        });
        const [outcome, ...seals] = await Promise.all([
          first.events.append(key, {
            stream: name,
            owner: firstNode,
            fence: 0,
            first: 1,
            data: ["answer"],
            settled: [round],
          }),
          second.events.seal(key, { stream: name, fence: 0, node: secondNode, data: ["second"] }),
          first.events.seal(key, { stream: name, fence: 0, node: "third00000000", data: ["third"] }),
        ]);
        const part = await second.events.read(key, { stream: name, sequence: -1 });
        expect([outcome === "stored", ...seals].filter(Boolean)).toHaveLength(1);
        expect(part).toMatchObject({ next: 2, isEnded: true, open: [] });
        expect(textsOf(part)).toEqual(["", outcome === "stored" ? "answer" : seals[0] ? "second" : "third"]);
      }
    });
  });

  describe("adoptions of a shared event store", () => {
    const adoption = { stream, fence: 0, node: secondNode };

    test("an adoption makes another node the owner and fences the earlier one", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a", "b"]);
      expect(await second.events.adopt(key, adoption)).toEqual({ fence: 1, next: 2 });
      expect(await append(first, 2, ["late"])).toBe("fenced");
      expect(await append(first, 1, ["b", "late"])).toBe("fenced");
      expect(await append(first, 2, [])).toBe("fenced");
      expect(await append(second, 2, ["c"], { owner: secondNode, fence: 1 })).toBe("stored");
      const part = await read(first, -1);
      expect(part).toMatchObject({ owner: secondNode, fence: 1, next: 3, isResponse: false, isEnded: false });
      expect(textsOf(part)).toEqual(["a", "b", "c"]);
    });

    test("an append that was stored before the owner was replaced is stored when it is repeated", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"], { requests: [1] });
      await append(first, 1, ["b"]);
      await second.events.adopt(key, adoption);
      await append(second, 2, ["c"], { owner: secondNode, fence: 1 });
      for (let time = 0; time < 2; time += 1) expect(await append(first, 1, ["b"])).toBe("stored");
      expect(await append(first, 2, ["late"])).toBe("fenced");
      expect(await second.events.seal(key, { stream, fence: 1, node: firstNode, data: ["error"] })).toBe(true);
      expect(await append(second, 2, ["c"], { owner: secondNode, fence: 1 })).toBe("stored");
      expect(await append(second, 3, ["late"], { owner: secondNode, fence: 1 })).toBe("fenced");
      expect(await append(first, 0, ["a"], { requests: [1] })).toBe("stored");
      expect(textsOf(await read(first, -1))).toEqual(["a", "b", "c", "error"]);
    });

    test("a node that owns a stream again cannot add what it has sent as the first owner", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"]);
      await second.events.adopt(key, adoption);
      await append(second, 1, ["b"], { owner: secondNode, fence: 1 });
      expect(await first.events.adopt(key, { stream, fence: 1, node: firstNode })).toEqual({ fence: 2, next: 2 });
      expect(await append(first, 1, ["late"])).toBe("fenced");
      expect(await append(first, 2, ["late"])).toBe("fenced");
      expect(await append(first, 2, ["c"], { fence: 2 })).toBe("stored");
      expect(textsOf(await read(second, -1))).toEqual(["a", "b", "c"]);
    });

    test("a stream with another fence than that of the adoption keeps its owner", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"]);
      expect(await second.events.adopt(key, { ...adoption, fence: 1 })).toBeUndefined();
      expect(await second.events.adopt(key, { ...adoption, stream: "unknown" })).toBeUndefined();
      expect(await second.events.adopt(key, adoption)).toEqual({ fence: 1, next: 1 });
      expect(await second.events.adopt(key, { ...adoption, node: "third00000000" })).toBeUndefined();
      expect(await read(first, -1)).toMatchObject({ owner: secondNode });
    });

    test("a stream that nodes adopt at once has one of them as its owner", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a"]);
      const targets = ["node0", "node1", "node2", "node3"];
      const results = await Promise.all(
        targets.map(async (node, index) => (index % 2 === 0 ? first : second).events.adopt(key, { ...adoption, node })),
      );
      const winners = targets.filter((_, index) => results[index] !== undefined);
      expect(winners).toHaveLength(1);
      expect((await read(first, -1))?.owner).toBe(winners[0]);
    });

    test("an ended stream is not adopted", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["answer"], { requests: [1], settled: [1] });
      expect(await second.events.adopt(key, adoption)).toBeUndefined();
    });
  });

  describe("positions of a shared event store", () => {
    test("a position that the stream does not have is unknown", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a", "b"]);
      for (const sequence of [2, 3, 1_000_000, -2, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
        expect([sequence, await read(second, sequence)]).toEqual([sequence, undefined]);
      }
      expect(await second.events.read(key, { stream: "unknown", sequence: -1 })).toBeUndefined();
    });

    test("a position beyond the last event of an ended stream is that of the last event", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await append(first, 0, ["a", "b"], { requests: [1], settled: [1] });
      for (const sequence of [1, 2, 9, 1_000_000]) {
        expect(await read(second, sequence)).toMatchObject({ events: [], next: 2, isEnded: true });
      }
      expect(await read(second, -2)).toBeUndefined();
    });

    test("a position before an event that is no longer kept is unknown", async () => {
      const { first, second } = await startTwoNodes(fixture, { maxEvents: 10 });
      await append(first, 0, listTexts(0, 10));
      expect(textsOf(await read(second, -1))).toEqual(listTexts(0, 10));
      await append(first, 10, listTexts(10, 25));
      expect(await read(second, -1)).toBeUndefined();
      expect(await read(second, 13)).toBeUndefined();
      expect(textsOf(await read(second, 14))).toEqual(listTexts(15, 25));
      expect(await read(second, 24)).toMatchObject({ events: [], next: 25 });
      expect(await append(first, 25, ["25"])).toBe("stored");
      expect(await append(first, 3, ["3"])).toBe("stored");
      expect(textsOf(await read(second, 15))).toEqual(listTexts(16, 26));
    });

    test("a seal of a stream whose first events are no longer kept adds the last ones", async () => {
      const { first, second } = await startTwoNodes(fixture, { maxEvents: 10 });
      await append(first, 0, listTexts(0, 10), { requests: [1] });
      expect(await second.events.seal(key, { stream, fence: 0, node: secondNode, data: ["error"] })).toBe(true);
      expect(await read(second, -1)).toBeUndefined();
      expect(textsOf(await read(second, 0))).toEqual([...listTexts(1, 10), "error"]);
    });

    test("a stream whose size exceeds the limit loses its oldest events, but never the last", async () => {
      const { first, second } = await startTwoNodes(fixture, { maxStreamSize: 10_000 });
      for (let sequence = 0; sequence < 20; sequence += 1) await append(first, sequence, ["x".repeat(1_000)]);
      expect(await read(second, -1)).toBeUndefined();
      expect((await read(second, 14))?.events).toHaveLength(5);
      await append(first, 20, ["y".repeat(20_000)]);
      expect((await read(second, 19))?.events).toHaveLength(1);
      expect(await read(second, 18)).toBeUndefined();
    });

    test("a shared event store returns many events in parts", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const texts = listTexts(0, 600);
      await append(first, 0, texts, { requests: [1], settled: [1] });
      const found: string[] = [];
      let parts = 0;
      for (let part = await read(second, -1); part && part.events.length > 0; parts += 1) {
        expect(part.events.length).toBeLessThanOrEqual(256);
        expect(part).toMatchObject({ next: 600, isEnded: true });
        found.push(...textsOf(part));
        part = await read(second, part.events.at(-1)?.sequence ?? Infinity);
      }
      expect(found).toEqual(texts);
      expect(parts).toBeGreaterThanOrEqual(3);
    });

    test("a shared event store returns large events in parts with one event at least", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const [small, large] = ["s".repeat(400_000), "l".repeat(1_200_000)];
      await append(first, 0, [small, small, small]);
      await append(first, 3, [large]);
      const lengths: number[] = [];
      for (let part = await read(second, -1); part && part.events.length > 0;) {
        lengths.push(part.events.length);
        part = await read(second, part.events.at(-1)?.sequence ?? Infinity);
      }
      expect(lengths).toEqual([2, 1, 1]);
    });
  });

  describe("lifetime of streams of a shared event store", () => {
    test("a stream lives as long as events are added", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture, { streamTtl: 1_500 });
      for (let sequence = 0; sequence < 3; sequence += 1) {
        expect(await append(first, sequence, [`${sequence}`], { requests: [1] })).toBe("stored");
        await cluster.pass(800);
      }
      expect(textsOf(await read(second, -1))).toEqual(["0", "1", "2"]);
      await cluster.pass(900);
      expect(await read(second, -1)).toBeUndefined();
      expect(await append(first, 3, ["3"])).toBe("fenced");
    });

    test("an append without events extends the lifetime of a stream", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture, { streamTtl: 1_500 });
      await append(first, 0, ["a"]);
      for (let time = 0; time < 3; time += 1) {
        await cluster.pass(800);
        expect(await append(first, 1, [])).toBe("stored");
      }
      expect(textsOf(await read(second, -1))).toEqual(["a"]);
      expect(await append(first, 1, ["b"])).toBe("stored");
    });

    test("appends without events displace no events", async () => {
      const { first, second } = await startTwoNodes(fixture, { maxEvents: 3 });
      await append(first, 0, ["a"], { requests: [1, 2] });
      await append(first, 1, ["b"]);
      for (let time = 0; time < 12; time += 1) expect(await append(first, 2, [])).toBe("stored");
      expect(await append(first, 2, [], { settled: [1] })).toBe("stored");
      expect(textsOf(await read(second, -1))).toEqual(["a", "b"]);
      expect(textsOf(await read(second, 0))).toEqual(["b"]);
      expect(await append(first, 2, ["c"])).toBe("stored");
      expect(textsOf(await read(second, -1))).toEqual(["a", "b", "c"]);
    });

    test("a stream that has ended is kept for a shorter time", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture, { endedStreamTtl: 800, streamTtl: 30_000 });
      const other = { stream: "sealed", owner: firstNode, fence: 0, first: 0, data: ["a"], requests: [1] };
      await append(first, 0, ["a"], { requests: [1], settled: [1] });
      await first.events.append(key, other);
      await second.events.seal(key, { stream: "sealed", fence: 0, node: secondNode, data: ["error"] });
      await first.events.append(key, { ...other, stream: "open" });
      expect(await read(second, -1)).toBeDefined();
      await cluster.pass(1_000);
      expect(await read(second, -1)).toBeUndefined();
      expect(await second.events.read(key, { stream: "sealed", sequence: -1 })).toBeUndefined();
      expect(await second.events.read(key, { stream: "open", sequence: -1 })).toBeDefined();
    });

    test("a session has a limited number of streams that have not ended", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture, { maxOpenStreams: 3, streamTtl: 1_500 });
      const open = (name: string, session = key): unknown =>
        first.events.append(session, {
          stream: name,
          owner: firstNode,
          fence: 0,
          first: 0,
          data: ["a"],
          requests: [1],
        });
      for (const name of ["a", "b", "c"]) expect(await open(name)).toBe("stored");
      expect(await open("d")).toBe("full");
      expect(await second.events.read(key, { stream: "d", sequence: -1 })).toBeUndefined();
      expect(await open("a")).toBe("stored");
      expect(await open("a", { id: "other", owner: "ada" })).toBe("stored");
      await first.events.append(key, { stream: "a", owner: firstNode, fence: 0, first: 1, data: ["b"], settled: [1] });
      expect(await open("d")).toBe("stored");
      expect(await open("e")).toBe("full");
      await second.events.seal(key, { stream: "b", fence: 0, node: secondNode, data: [] });
      expect(await open("e")).toBe("stored");
      await cluster.pass(1_600);
      expect(await open("f")).toBe("stored");
    });

    test("a stream opened by GET that its owner ends no longer counts, and has no more events", async () => {
      const { first, second } = await startTwoNodes(fixture, { maxOpenStreams: 1 });
      await append(first, 0, ["a"]);
      const other = { stream: "other", owner: firstNode, fence: 0, first: 0, data: ["b"] };
      expect(await first.events.append(key, other)).toBe("full");
      expect(await first.events.append(key, { ...other, first: 1 })).toBe("fenced");
      expect(await first.events.seal(key, { stream, fence: 0, node: firstNode, data: [] })).toBe(true);
      expect(await first.events.append(key, other)).toBe("stored");
      expect(await append(first, 1, ["c"])).toBe("fenced");
      expect(await read(second, -1)).toMatchObject({ events: [{ data: "a" }], isEnded: true, isResponse: false });
    });
  });
}

/** Appends to the stream of most tests. */
async function append(
  { events }: Engine,
  first: number,
  data: readonly string[],
  more: Partial<StreamAppend> = {},
): Promise<AppendOutcome> {
  return events.append(key, { stream, owner: firstNode, fence: 0, first, data, ...more });
}

/** Reads the stream of most tests after a sequence. */
async function read({ events }: Engine, sequence: number): Promise<StreamPart | undefined> {
  return events.read(key, { stream, sequence });
}

function textsOf(part: StreamPart | undefined): readonly string[] {
  return part?.events.map(({ data }) => data) ?? ["no part"];
}

function listTexts(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => String(from + index));
}

function sortedIds(ids: readonly (string | number)[] | undefined): readonly (string | number)[] | undefined {
  return ids && [...ids].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}
