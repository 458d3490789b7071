import { describe, expect, test } from "vitest";
import type { ReservedMeta, Revision } from "../../../generated/support.ts";
import {
  codeOf,
  createMetadataReader,
  missingMetadata,
  readMetaKeys,
  unsupportedVersion,
  withoutMetadata,
  type MetadataReader,
} from "../../../runtime/protocol/session/request-metadata.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { requestMetadata, meta } from "../../kit/messages.ts";

const onRequest = { on: "request", required: true } as const;

const version: ReservedMeta = { ...onRequest, key: "x/version", type: "string" };
const capabilities: ReservedMeta = { ...onRequest, key: "x/capabilities", type: "ClientCapabilities" };

/** A revision with keys of its own, and no key for the client's name. */
const other: Revision = { ...statelessRevision, id: "3000-01-01", reservedMeta: [version, capabilities] };

function create(...revisions: readonly Revision[]): MetadataReader {
  const reader = createMetadataReader(revisions);
  if (!reader) throw new Error("no reader");
  return reader;
}

describe("the reader of metadata", () => {
  test("there is a reader for revisions with stateless requests", () => {
    expect(createMetadataReader([newest])).toBeUndefined();
    expect(createMetadataReader([])).toBeUndefined();
    expect(create(newest, statelessRevision, other).revisions).toEqual([statelessRevision, other]);
  });

  test.each([
    [{ _meta: requestMetadata() }, statelessRevision.id],
    [{ _meta: { [meta.version]: 7 } }, 7],
    [{ _meta: { "x/version": "1" } }, "1"],
    [{ _meta: {} }, undefined],
    [{ _meta: "text" }, undefined],
    [{}, undefined],
    [[], undefined],
    [undefined, undefined],
  ])("the params %j name the version %j", (params, expected) => {
    expect(create(statelessRevision, other).readVersion(params)).toBe(expected);
  });

  test.each([undefined, [], {}, { _meta: null }, { _meta: {} }, { _meta: { other: 1 } }])(
    "the params %j have no metadata",
    (params) => {
      expect(create(statelessRevision, other).read(params)).toEqual({ kind: "none", version: undefined });
    },
  );

  test("all metadata is read", () => {
    const { [meta.clientInfo]: info, [meta.capabilities]: declared } = requestMetadata({
      [meta.capabilities]: { roots: {} },
    });
    const params = { _meta: requestMetadata({ [meta.capabilities]: { roots: {} } }) };
    const client = { info, capabilities: declared };
    expect(create(other, statelessRevision).read(params)).toEqual({
      kind: "metadata",
      version: statelessRevision.id,
      revision: statelessRevision,
      client,
    });
  });

  test.each([undefined, "text", { name: "test" }, { name: "test", version: 1 }, { version: "1" }])(
    "a client with the info %j has no name",
    (info) => {
      expect(create(statelessRevision).read({ _meta: requestMetadata({ [meta.clientInfo]: info }) })).toMatchObject({
        kind: "metadata",
        client: { info: undefined, capabilities: {} },
      });
    },
  );

  test("the name of the client is not read where the revision has no key for it", () => {
    const strange = { undefined: { name: "test", version: "1" } };
    const _meta = { "x/version": other.id, "x/capabilities": {}, ...strange };
    expect(create(other).read({ _meta })).toEqual({
      kind: "metadata",
      version: other.id,
      revision: other,
      client: { info: undefined, capabilities: {} },
    });
    expect(create(other).read({ _meta: strange })).toMatchObject({ kind: "none" });
  });
});

describe("rejected metadata", () => {
  function reject(changes: Readonly<Record<string, unknown>>): unknown {
    const { version: named, ...rest } = create(statelessRevision, other).read({ _meta: requestMetadata(changes) });
    const error = "error" in rest ? rest.error : undefined;
    return { version: named, code: error?.code, message: error?.message, data: error?.data };
  }

  const versionPath = "_meta/io.modelcontextprotocol~1protocolVersion";
  const capabilitiesPath = "_meta/io.modelcontextprotocol~1clientCapabilities";

  test.each<[string, Readonly<Record<string, unknown>>, unknown, string, string]>([
    ["no version", { [meta.version]: undefined }, undefined, versionPath, "string"],
    [
      "no version and no capabilities",
      { [meta.version]: undefined, [meta.capabilities]: undefined },
      undefined,
      versionPath,
      "string",
    ],
    [
      "no version and no name",
      { [meta.version]: undefined, [meta.clientInfo]: undefined },
      undefined,
      versionPath,
      "string",
    ],
    ["a version that is no text", { [meta.version]: 7 }, 7, versionPath, "string"],
    ["no capabilities", { [meta.capabilities]: undefined }, statelessRevision.id, capabilitiesPath, "object"],
    ["capabilities that are no object", { [meta.capabilities]: [] }, statelessRevision.id, capabilitiesPath, "object"],
  ])("metadata with %s is rejected", (_, changes, named, path, expected) => {
    expect(reject(changes)).toMatchObject({ version: named, code: -32602, data: { path, expected } });
  });

  test("an unknown version is rejected with the known ones", () => {
    expect(reject({ [meta.version]: "2000-01-01" })).toEqual({
      version: "2000-01-01",
      code: -32022,
      message: "Unsupported protocol version",
      data: { supported: [statelessRevision.id, other.id], requested: "2000-01-01" },
    });
  });
});

describe("the keys of metadata", () => {
  test("the keys of the newest revision are found by their content", () => {
    expect(readMetaKeys(statelessRevision)).toEqual(meta);
  });

  test("the version is required, so that other text is not mistaken for it", () => {
    const hint: ReservedMeta = { on: "request", key: "x/hint", type: "string", required: false };
    expect(
      readMetaKeys({ ...statelessRevision, reservedMeta: [hint, ...statelessRevision.reservedMeta] }).version,
    ).toBe(meta.version);
  });

  test("other keys may be absent", () => {
    expect(readMetaKeys(other)).toEqual({ version: "x/version", capabilities: "x/capabilities" });
  });

  test.each([
    ["version", [capabilities]],
    ["capabilities", [version]],
    ["both", []],
  ])("a revision without a key is rejected: %s", (_, reservedMeta) => {
    expect(() => readMetaKeys({ ...statelessRevision, reservedMeta })).toThrow(
      `Revision ${statelessRevision.id} has no _meta keys for the protocol version and the capabilities of requests`,
    );
  });
});

describe("errors of requests without metadata", () => {
  const missing = { code: -32602, data: { path: "_meta/io.modelcontextprotocol~1protocolVersion" } };

  test("the requested version is part of the error if it is text", () => {
    expect(unsupportedVersion([statelessRevision], "1").data).toEqual({
      supported: [statelessRevision.id],
      requested: "1",
    });
    expect(unsupportedVersion([statelessRevision], 7).data).toEqual({
      supported: [statelessRevision.id],
      requested: "",
    });
    expect(unsupportedVersion([statelessRevision], "x".repeat(3_000)).data).toHaveProperty("requested.length", 2_021);
  });

  test("the missing version is named where there are revisions", () => {
    expect(missingMetadata([statelessRevision, other])).toMatchObject(missing);
    expect(missingMetadata([])).toMatchObject({ code: -32602, message: "Invalid params" });
  });

  test.each([
    [
      "initialize",
      { protocolVersion: "1" },
      { code: -32022, data: { supported: [statelessRevision.id], requested: "1" } },
    ],
    ["initialize", {}, { code: -32022, data: { supported: [statelessRevision.id], requested: "" } }],
    ["initialize", undefined, missing],
    ["tools/list", { protocolVersion: "1" }, missing],
    ["tools/list", undefined, missing],
  ])("a request of %s with the params %j is rejected", (method, params, expected) => {
    expect(withoutMetadata({ method, params }, [statelessRevision])).toMatchObject(expected);
  });

  test("the code of an error is that of the first revision that has it", () => {
    const renamed: Revision = { ...newest, errors: { headerMismatch: { code: 5, emitted: true } } };
    expect(codeOf([newest, renamed, statelessRevision], "headerMismatch")).toBe(5);
    expect(codeOf([newest], "headerMismatch")).toBe(-32600);
    expect(codeOf([newest], "constructor")).toBe(-32600);
  });
});
