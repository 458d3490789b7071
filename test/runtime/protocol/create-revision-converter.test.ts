import { describe, expect, test } from "vitest";
import type { Conversions, Convert, Revision, Role } from "../../../generated/support.ts";
import {
  createRevisionConverter,
  type LossMode,
  type RevisionConverter,
} from "../../../runtime/protocol/revision/revision-converter.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";

/** Adds the place of the conversion, and reports a loss. */
function add(place: string): Convert {
  return (value, onLoss) => {
    onLoss?.({ type: "Tool", member: "icons", rule: "drop" });
    return [place, value];
  };
}

const older: Revision = {
  ...newest,
  id: "2000-01-01",
  conversions: {
    clientRequests: { a: { params: add("client request"), result: add("client result") } },
    serverRequests: { a: { params: add("server request"), result: add("server result") } },
    clientNotifications: { a: { params: add("client notification") } },
    serverNotifications: { a: { params: add("server notification") } },
    embeddedRequests: {},
  },
};

function create(role: Role, mode?: LossMode, onError?: (report: ErrorReport) => void): RevisionConverter {
  const converter = createRevisionConverter(older, { role, written: newest, mode, onError });
  if (!converter) throw new Error("no converter");
  return converter;
}

test("there is nothing to convert at the revision that the code is written for", () => {
  const rest = { role: "server", mode: undefined, onError: undefined } as const;
  expect(createRevisionConverter(older, { written: older, ...rest })).toBeUndefined();
  expect(createRevisionConverter(statelessRevision, { written: older, ...rest })).toBeUndefined();
});

test.each<[Role, Role]>([
  ["server", "client"],
  ["client", "server"],
])("a %s converts what it sends, and its results of requests of the %s", (role, peer) => {
  const converter = create(role);
  expect(converter.params({ kind: "request", method: "a", params: 1 })).toEqual([`${role} request`, 1]);
  expect(converter.params({ kind: "notification", method: "a", params: 1 })).toEqual([`${role} notification`, 1]);
  expect(converter.result("a", 1)).toEqual([`${peer} result`, 1]);
});

test("absent params and methods without a conversion stay the same", () => {
  const converter = create("server");
  expect(converter.params({ kind: "request", method: "a", params: undefined })).toBeUndefined();
  for (const method of ["b", "constructor"]) {
    const handle = (): object => ({});
    expect(converter.params({ kind: "request", method, params: 1 })).toBe(1);
    expect(converter.result(method, 1)).toBe(1);
    expect(converter.handler(handle, method)).toBe(handle);
  }
});

describe("losses", () => {
  test("losses are reported with onLoss: warn, if there is someone to report to", () => {
    const reports: ErrorReport[] = [];
    expect(create("client", "warn", (report) => reports.push(report)).result("a", 1)).toEqual(["server result", 1]);
    expect(reports).toMatchObject([
      {
        kind: "loss",
        error: { message: "Revision 2000-01-01 has no icons in Tool; it was converted (drop)" },
      },
    ]);
    expect(create("client", "warn").result("a", 1)).toEqual(["server result", 1]);
  });

  test("losses are errors with onLoss: error", () => {
    expect(() => create("client", "error").result("a", 1)).toThrow(
      'Tool.icons does not match revision 2000-01-01: it would be lost, which `onLoss: "error"` forbids',
    );
  });

  test.each<[LossMode | undefined]>([["convert"], [undefined]])("losses are no matter with onLoss: %s", (mode) => {
    const reports: ErrorReport[] = [];
    expect(create("client", mode, (report) => reports.push(report)).result("a", 1)).toEqual(["server result", 1]);
    expect(reports).toEqual([]);
  });
});

const receiving: Revision = {
  ...older,
  received: [
    { since: "2001-01-01", conversions: conversionsOf("first") },
    { since: "2003-01-01", conversions: conversionsOf("second") },
  ],
};

function conversionsOf(version: string): Conversions {
  return {
    clientRequests: { a: { params: add(`${version} client request`), result: add(`${version} client result`) } },
    serverRequests: { a: { params: add(`${version} server request`), result: add(`${version} server result`) } },
    clientNotifications: { a: { params: add(`${version} client notification`) } },
    serverNotifications: { a: { params: add(`${version} server notification`) } },
    embeddedRequests: {},
  };
}

test.each<[Role, Role]>([
  ["server", "client"],
  ["client", "server"],
])("a %s converts what the %s sends, and the results of its own requests", (role, peer) => {
  const written = { ...newest, id: "2002-01-01" };
  const converter = createRevisionConverter(receiving, { role, written, mode: "error", onError: undefined });
  expect(converter?.written).toBe(written);
  const received = [
    converter?.receivedParams({ kind: "request", method: "a", params: 1 }),
    converter?.receivedParams({ kind: "notification", method: "a", params: 1 }),
    converter?.receivedResult("a", 1),
  ];
  expect(received).toEqual([
    [`first ${peer} request`, 1],
    [`first ${peer} notification`, 1],
    [`first ${role} result`, 1],
  ]);
});

test.each([
  ["2000-06-01", 1],
  ["2001-01-01", ["first client request", 1]],
  ["2002-12-31", ["first client request", 1]],
  ["2003-01-01", ["second client request", 1]],
])("code that is written for %s receives the params of the peer as %j", (id, params) => {
  const written = { ...newest, id };
  const converter = createRevisionConverter(receiving, {
    role: "server",
    written,
    mode: undefined,
    onError: undefined,
  });
  expect(converter?.receivedParams({ kind: "request", method: "a", params: 1 })).toEqual(params);
  expect(converter?.receivedParams({ kind: "request", method: "b", params: 1 })).toBe(1);
  expect(converter?.receivedParams({ kind: "request", method: "a", params: undefined })).toBeUndefined();
});
