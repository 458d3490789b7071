import { describe, expect, test } from "vitest";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import {
  chooseRevision,
  findRevision,
  readHandshakeRevisions,
  readSupported,
} from "../../../runtime/lifecycle/negotiation.ts";
import { revisions } from "../../../generated/revisions.ts";
import { handshakeRevisions, revisionOf } from "../../kit/revisions.ts";

const [a, b, c, d] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].map(revisionOf);

test("only revisions with a handshake are negotiated, in the order given", () => {
  expect(readHandshakeRevisions(revisions)).toEqual(handshakeRevisions);
  expect(() => readHandshakeRevisions([])).toThrow("add at least one");
  expect(() => readHandshakeRevisions(revisions.filter(({ lifecycle }) => lifecycle === "per-request"))).toThrow();
});

describe("the revision of the response to initialize (L-08, L-14)", () => {
  const all = [d, c, b, a].filter((revision) => revision !== undefined);
  const some = [c, a].filter((revision) => revision !== undefined);
  test.each([
    ...all.map((revision) => [revision.id, all, revision.id] as const),
    ["2025-11-25", some, "2025-06-18"],
    ["2025-03-26", some, "2025-06-18"],
    ["2024-11-05", some, "2024-11-05"],
    ["2099-01-01", all, "2025-11-25"],
    ["1.0", all, "2025-11-25"],
    ["", all, "2025-11-25"],
    ["constructor", all, "2025-11-25"],
    [undefined, all, "2025-11-25"],
    [20251125, all, "2025-11-25"],
  ] as const)("a server responds with the requested or its preferred revision: %s", (requested, offered, expected) => {
    expect(chooseRevision(requested, readHandshakeRevisions(offered)).id).toBe(expected);
  });
});

test("a revision is found by its exact name", () => {
  expect(findRevision("2025-06-18", handshakeRevisions)).toBe(c);
  expect([findRevision("2025-06-18 ", handshakeRevisions), findRevision(null, handshakeRevisions)]).toEqual([
    undefined,
    undefined,
  ]);
});

test("the revisions in an error are read where they are present (L-13)", () => {
  const error = (code: number, data: unknown): RpcError => new RpcError(code, "Unsupported protocol version", { data });
  expect(readSupported(error(-32602, { supported: ["a", 5, "b"] }))).toEqual(["a", "b"]);
  for (const other of [
    error(-32600, { supported: [] }),
    error(-32602, { supported: "a" }),
    error(-32602, 1),
    new Error(),
    null,
  ]) {
    expect(readSupported(other)).toBeUndefined();
  }
});
