import { describe, expect, test } from "vitest";
import type { Incoming } from "../../../../../runtime/jsonrpc/message.ts";
import { CancellationOrder } from "../../../../../runtime/transport/http-server/exchange/cancellation-order.ts";
import type { PostBody } from "../../../../../runtime/transport/http-server/post-body.ts";
import { settle } from "../../../../../runtime/testing/manual-clock.ts";

interface Outcome {
  readonly kind: "message" | "refused";
  readonly postBody?: PostBody;
}

const request: Incoming = { kind: "request", id: 1, method: "tools/call", params: {} };
const cancellation: Incoming = { kind: "notification", method: "notifications/cancelled", params: { requestId: 1 } };
const other: Incoming = { ...cancellation, method: "notifications/progress" };

const single = (incoming: Incoming): Outcome => ({
  kind: "message",
  postBody: { kind: "single", value: {}, incoming },
});
const batch = (...members: readonly Incoming[]): Outcome => ({
  kind: "message",
  postBody: { kind: "batch", values: [], members },
});

/** POSTs whose checks end when the test says so, and the order in which they may be handled. */
class Posts {
  readonly handled: string[] = [];
  readonly #order = new CancellationOrder();
  readonly #ends = new Map<string, (outcome: Outcome | Error) => void>();

  post(name: string, session: string = "a"): void {
    const checks = new Promise<Outcome>((resolve, reject) => {
      this.#ends.set(name, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
    });
    this.#order.arrange(session, checks).then(
      () => this.handled.push(name),
      () => this.handled.push(`${name} failed`),
    );
  }

  async check(name: string, outcome: Outcome | Error): Promise<void> {
    this.#ends.get(name)?.(outcome);
    await settle();
  }
}

describe("the order of cancellations", () => {
  test.each<readonly [string, Outcome]>([
    ["a cancellation", single(cancellation)],
    ["a batch with a cancellation", batch(other, cancellation)],
  ])("%s waits until the POSTs before it have been checked, and for no later one", async (_what, outcome) => {
    const posts = new Posts();
    for (const name of ["first", "second", "cancellation", "later"]) posts.post(name);
    await posts.check("cancellation", outcome);
    await posts.check("second", single(request));
    expect(posts.handled).toEqual(["second"]);
    await posts.check("first", single(request));
    expect(posts.handled).toEqual(["second", "first", "cancellation"]);
    await posts.check("later", single(request));
    expect(posts.handled.at(-1)).toBe("later");
  });

  test.each<readonly [string, Outcome]>([
    ["a request", single(request)],
    ["another notification", single(other)],
    ["a batch without a cancellation", batch(request, other)],
    ["a refused cancellation", { ...single(cancellation), kind: "refused" }],
  ])("%s waits for nothing", async (_what, outcome) => {
    const posts = new Posts();
    posts.post("first");
    posts.post("second");
    await posts.check("second", outcome);
    expect(posts.handled).toEqual(["second"]);
  });

  test("a cancellation does not wait for another session", async () => {
    const posts = new Posts();
    posts.post("first", "b");
    posts.post("cancellation");
    await posts.check("cancellation", single(cancellation));
    expect(posts.handled).toEqual(["cancellation"]);
  });

  test("a cancellation waits for those before it only, also after others that are over", async () => {
    const posts = new Posts();
    for (const name of ["over", "failed", "first", "cancellation"]) posts.post(name);
    await posts.check("over", single(request));
    await posts.check("failed", new Error("lost"));
    await posts.check("cancellation", single(cancellation));
    expect(posts.handled).toEqual(["over", "failed failed"]);
    await posts.check("first", single(request));
    expect(posts.handled.slice(2)).toEqual(["first", "cancellation"]);
  });

  test("two cancellations do not wait for each other, and a failure of checks ends the wait", async () => {
    const posts = new Posts();
    for (const name of ["first", "one", "two"]) posts.post(name);
    await posts.check("two", single(cancellation));
    await posts.check("one", single(cancellation));
    expect(posts.handled).toEqual([]);
    await posts.check("first", new Error("lost"));
    expect(posts.handled.toSorted()).toEqual(["first failed", "one", "two"]);
  });
});
