import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import { requireApiKey } from "../../../../runtime/auth/server/index.ts";
import { timingSafeEqual } from "../../../../runtime/auth/server/timing-safe-equal.ts";

vi.mock(import("../../../../runtime/auth/server/timing-safe-equal.ts"), async (original) => ({
  timingSafeEqual: vi.fn((await original()).timingSafeEqual),
}));

/** Bytes that count how often each of them is read. */
function createCounted(bytes: Uint8Array): { readonly bytes: ArrayLike<number>; readonly reads: number[] } {
  const reads = new Array<number>(bytes.length).fill(0);
  const counted = new Proxy(bytes, {
    get(target, name) {
      const index = typeof name === "string" ? Number(name) : Number.NaN;
      if (Number.isInteger(index)) reads[index] = (reads[index] ?? 0) + 1;
      return Reflect.get(target, name, target);
    },
  });
  return { bytes: counted, reads };
}

const digest = new Uint8Array(createHash("sha256").update("key").digest());

test.each([
  ["none", -1],
  ["the first", 0],
  ["the middle", 16],
  ["the last", 31],
])("every byte of a digest is compared once, whichever differs: %s", (_which, place) => {
  const other = digest.map((byte, index) => (index === place ? byte ^ 1 : byte));
  const [expected, shown] = [createCounted(digest), createCounted(other)];
  expect(timingSafeEqual(expected.bytes, shown.bytes)).toBe(place === -1);
  expect(expected.reads).toEqual(new Array(32).fill(1));
  expect(shown.reads).toEqual(new Array(32).fill(1));
});

test("digests of different lengths are different", () => {
  expect(timingSafeEqual(digest, digest.subarray(0, 31))).toBe(false);
  expect(timingSafeEqual(digest.subarray(0, 31), digest)).toBe(false);
});

test("a key is compared by its digest with every known key", async () => {
  const keys = ["first", "second", "third"].map((principal) => ({
    principal,
    key: `${principal}-of-the-known-keys-0123`,
  }));
  const guard = requireApiKey({ keys });
  for (const { principal, key } of keys) {
    vi.mocked(timingSafeEqual).mockClear();
    const head = {
      method: "POST",
      path: "/mcp",
      query: () => undefined,
      header: () => key,
      isRepeated: () => false,
      certificate: () => undefined,
      address: undefined,
      host: undefined,
    };
    expect(await guard.authenticate(head, { addFields: () => {} })).toEqual({ principal });
    const sha256 = (text: string): Uint8Array => new Uint8Array(createHash("sha256").update(text).digest());
    const compared = vi.mocked(timingSafeEqual).mock.calls;
    expect(compared).toEqual(keys.map((known) => [sha256(known.key), sha256(key)]));
  }
});
