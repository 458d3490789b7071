import { describe, expect, test } from "vitest";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { Rig, accept, elicit, form } from "./running-task-rig.ts";

/* A running task whose store fails when its record changes, and one whose record another node has changed. */

const outcome = { kind: "result", result: {} } as const;
const updatedAt = "2026-01-01T00:00:00Z";
const broken = new Error("too long");
const lost = new EngineError("lost");

describe("the end of a task that its store rejects", () => {
  test.each([
    [
      "an outcome that the store rejects is replaced by a failure",
      { status: "completed", outcome },
      broken,
      2,
      "failed",
    ],
    ["an outcome is not replaced when the store is lost", { status: "completed", outcome }, lost, 1, "working"],
    ["an end without an outcome is not replaced", { status: "cancelled" }, broken, 1, "working"],
  ] as const)("%s", async (_name, ending, error, changes, status) => {
    const rig = await Rig.open();
    const count = rig.fail(error);
    await expect(rig.task.end(ending)).rejects.toBe(error);
    expect([count(), (await rig.stored)?.status, rig.task.isOver]).toEqual([changes, status, true]);
    await rig.task.ended;
  });

  test("an end that cannot be stored in any form is rejected with the first error", async () => {
    const rig = await Rig.open();
    rig.fail(broken, new Error("again"));
    await expect(rig.task.end({ status: "completed", outcome })).rejects.toBe(broken);
  });

  test("an attempt ends when the store is back", async () => {
    const rig = await Rig.open({ attempt: 1 });
    const count = rig.fail(lost, lost);
    const ended = rig.task.end({ status: "completed", outcome });
    await rig.clock.pass(1_999);
    expect(count()).toBe(2);
    await rig.clock.pass(1);
    expect(await ended).toMatchObject({ status: "completed" });
  });

  test("an attempt does not wait for the store when the server closes", async () => {
    const rig = await Rig.open({ attempt: 1, closing: AbortSignal.abort() });
    rig.fail(lost);
    await expect(rig.task.end({ status: "completed", outcome })).rejects.toBe(lost);
    expect(rig.clock.active).toBe(0);
  });

  test("a change of an attempt that is no end does not wait for the store", async () => {
    const rig = await Rig.open({ attempt: 1 });
    rig.fail(lost);
    await expect(rig.task.explain("half")).rejects.toBe(lost);
    expect(rig.clock.active).toBe(0);
  });
});

test("a change is stored after one that has failed", async () => {
  const rig = await Rig.open();
  rig.fail(broken);
  const explained = [rig.task.explain("first"), rig.task.explain("second")];
  expect(await Promise.allSettled(explained)).toMatchObject([{ reason: broken }, { status: "fulfilled" }]);
  expect((await rig.stored)?.statusMessage).toBe("second");
});

test("a task is released although the store does not learn of it", async () => {
  const rig = await Rig.open();
  rig.fail(broken);
  await rig.task.release(1);
  expect(rig.task.signal.reason).toMatchObject({ name: "AbortError", message: "The server is closing" });
});

test("an input request that could not be stored is not open", async () => {
  const rig = await Rig.open();
  rig.fail(broken);
  await expect(rig.task.ask(elicit, form)).rejects.toBe(broken);
  expect(await rig.stored).toMatchObject({ status: "working", inputRequests: {} });
});

describe("a task that another node has cancelled", () => {
  test("its requestor and the nodes that wait for it are notified once", async () => {
    const rig = await Rig.open();
    await rig.store.change(rig.key, { status: "cancelled", updatedAt });
    await rig.task.poll();
    await rig.task.poll();
    expect(rig.task.signal.reason).toMatchObject({ message: "The task is cancelled" });
    expect([rig.notified, rig.changed]).toEqual([["cancelled"], ["cancelled"]]);
  });

  test("a response that arrives with the cancellation is not given to the work", async () => {
    const rig = await Rig.open();
    const pending = rig.task.ask(elicit, form);
    await settle();
    const inputResponses = { "elicit-1": accept };
    await rig.store.change(rig.key, { status: "cancelled", inputResponses, updatedAt });
    const rejected = expect(pending).rejects.toMatchObject({ message: "The task is cancelled" });
    await rig.task.poll();
    await rejected;
  });
});
