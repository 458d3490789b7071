import fc from "fast-check";

/** One message of a conversation. */
export type Step =
  /** Made from the model of the revision, or from such a message; everything about it follows from the seed. */
  | { readonly kind: "made"; readonly seed: number }
  /** Any JSON at all. */
  | { readonly kind: "value"; readonly value: unknown }
  /** No JSON, or hardly. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

/** Steps that arrive together, cut into pieces anywhere. */
export interface Burst {
  readonly steps: readonly Step[];
  /** Positions at which the bytes are cut, as shares of their length. */
  readonly cuts: readonly number[];
}

/** Messages of the other peer from the handshake to the end, and the behavior of the handlers meanwhile. */
export interface Script {
  /** Seed of the behavior of handlers. */
  readonly seed: number;
  /** Index of the revision, newest first. */
  readonly revision: number;
  /** True if capabilities are declared. */
  readonly isOpen: boolean;
  readonly bursts: readonly Burst[];
}

/** Any conversation at one of so many revisions. */
export function createScripts(revisions: number): fc.Arbitrary<Script> {
  return fc.record({
    seed: fc.nat(),
    revision: fc.nat({ max: revisions - 1 }),
    isOpen: fc.boolean(),
    bursts: fc.array(burst, { minLength: 1, maxLength: 40, size: "max" }),
  });
}

/** Number of messages of a script. */
export function countSteps({ bursts }: Script): number {
  return bursts.reduce((sum, { steps }) => sum + steps.length, 0);
}

const names = fc.constantFrom(
  "ping",
  "tools/call",
  "initialize",
  "notifications/cancelled",
  "constructor",
  "__proto__",
);

/** Envelope of which each member may be missing or invalid. */
const envelope = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 4, arbitrary: fc.constant("2.0") }, fc.constantFrom("1.0", 2, null)),
    id: fc.oneof(fc.nat(), fc.string(), fc.constantFrom(null, -1, 1.5, 2 ** 53, true, [], {})),
    method: fc.oneof({ weight: 4, arbitrary: names }, fc.string(), fc.constantFrom(null, 7, {}, [])),
    params: fc.jsonValue({ maxDepth: 2 }),
    result: fc.jsonValue({ maxDepth: 2 }),
    error: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.record({ code: fc.integer(), message: fc.string() })),
  },
  { requiredKeys: [] },
);

/** Any message of a conversation. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: fc.record({ kind: fc.constant("made" as const), seed: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("value" as const),
      value: fc.oneof(
        { weight: 4, arbitrary: envelope },
        fc.jsonValue({ maxDepth: 2 }),
        fc.array(envelope, { maxLength: 3 }),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("bytes" as const), bytes: fc.uint8Array({ maxLength: 40 }) }),
  },
);

const burst: fc.Arbitrary<Burst> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4, size: "max" }),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
});
