import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { parseJson } from "../../generator/internal/json-text.ts";
import { SpecError } from "../../generator/internal/spec-error.ts";
import { readSchema } from "../../generator/read/schema.ts";
import { isObject } from "../../templates/support.ts";
import { compareSchemas } from "../oracle/compare.ts";
import { toCompatModel, toJsonSchema } from "../oracle/json-schema.ts";

/*
 * Every version of a schema that upstream has ever committed, on all branches, is read. MCP_UPSTREAM_REPOSITORY names a clone of the specification's
 * repository.
 */

/** Rejected versions, by the start of their hash in git, with a part of the reason. */
const rejected: Readonly<Record<string, string>> = {
  // Not valid TypeScript, or undeclared types.
  "0519554e": "not valid TypeScript",
  a5e37f5d: "`Date` is not declared",
  c2d3e285: "`Response` is not declared",
  d623098e: "`Response` is not declared",
  daa11046: "`JSONRPCIncompleteResultResponse` is not declared",
  f25f0ee9: "`ResourceReference` is not declared",
  // Functions.
  "815c3d34": "ImportDeclaration",
  "8fe62bd4": "FunctionDeclaration",
  // A number that is an object as well.
  f49a6372: "intersection of something that is not an object",
};

/** Versions whose schema.json says something else, by the place of the first difference, and why. */
const differing: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "The generator of upstream leaves out a property of the type `never`.": {
    "CallToolUnstructuredResult.structuredContent":
      "351d6073 444f406c 61de0de4 6db0007e 8aeecad7 9271cf76 d006e2bf e6a62117 eea27b40 fd0e4275",
  },
  "It loses the items of tuples.": {
    JSONRPCBatchRequest: "4de3085c",
    "InitializeRequest.params.requestedProfiles": "c9316ade",
  },
  "It requires an optional member of an `Omit`, and `null` is lost.": {
    "URLElicitationRequiredError.id": "009dbdd7 00b067a4",
    "ContinueTaskResult.ttl": "4957e61a",
  },
  "It declares records without a name.": {
    "Record<string,Record<string,unknown>>": "31501aac",
    "Record<string,unknown>": "c0f1109b",
    "ModelPreferences.hints[].*": "4d4a6fbc a61b2a08",
  },
  "A pattern that may take long is documentation here.": {
    "Package.version": "030da3d2 d9ddccb2",
    "Server.$schema": "793c1311",
  },
  "Its pattern of a template ends at a line break.": {
    "DataIcon.src": "060be8a8 16b63f88",
  },
  "The file was generated from another version, or written by hand.": {
    CancelToolAsyncRequest: "07e3c9fa",
    "CompleteRequest.params._meta": "471b13f4",
    SdkPlatform: "55e3035c ff30ac93",
    "AsyncResource.progress": "5a05d33b",
    JSONValue: "92ac8546",
    "DataContent.type": "afca6648",
    "CallToolResult.result_type": "b4309820",
    "Resource.size": "bd3f95ff",
    "BlobResourceContents.blob": "fef086fb",
  },
};

const repository = process.env.MCP_UPSTREAM_REPOSITORY;

function git(...args: readonly string[]): string {
  if (repository === undefined)
    throw new Error("Set MCP_UPSTREAM_REPOSITORY to a clone of the specification's repository.");
  return execFileSync("git", [...args], { cwd: repository, encoding: "utf8", maxBuffer: 2 ** 28 });
}

/** Returns what each commit has written: the hashes of its schemas, by path. Merges are no commits of their own. */
function listCommits(): readonly ReadonlyMap<string, string>[] {
  const schemas = ["*schema.ts", "*schema.json"];
  const log = git(
    "log",
    "--all",
    "--raw",
    "--no-abbrev",
    "--format=tformat:commit",
    "--diff-filter=d",
    "--",
    ...schemas,
  );
  return log.split("commit\n").map((commit) => {
    const lines = [...commit.matchAll(/^:\d+ \d+ [\da-f]+ ([\da-f]+) \w+\t(?:.*\t)?(.+)$/gm)];
    return new Map(lines.map(([, hash = "", path = ""]) => [path, hash]));
  });
}

/** Returns the path of each version, by its hash. */
function listVersions(): ReadonlyMap<string, string> {
  const changes = listCommits().flatMap((hashes) => [...hashes]);
  return new Map(changes.filter(([path]) => path.endsWith(".ts")).map(([path, hash]) => [hash, path]));
}

/** Pairs of `schema.ts` and `schema.json` from one commit each, by the hash of the first. */
function listPairs(): ReadonlyMap<string, { readonly path: string; readonly json: string }> {
  const pairs = listCommits().flatMap((hashes) =>
    [...hashes].flatMap(([path, hash]) => {
      const json = path.endsWith(".ts") ? hashes.get(path.replace(/\.ts$/, ".json")) : undefined;
      return json === undefined ? [] : [[hash, { path, json }] as const];
    }),
  );
  return new Map(pairs);
}

test("all versions of upstream's schemas are read, except those that are listed", { timeout: 600_000 }, () => {
  const failures: Record<string, string> = {};
  for (const [hash, path] of listVersions()) {
    try {
      readSchema(path, git("cat-file", "blob", hash));
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      failures[hash.slice(0, 8)] = error.message;
    }
  }
  const expected = Object.entries(rejected).filter(([hash]) => hash in failures);
  expect(failures).toEqual(
    Object.fromEntries(expected.map(([hash, reason]) => [hash, expect.stringContaining(reason)])),
  );
});

test("the model agrees with the schema.json of the same commit, except where listed", { timeout: 600_000 }, () => {
  const differences: Record<string, string> = {};
  const pairs = [...listPairs()].filter(([hash]) => !(hash.slice(0, 8) in rejected));
  for (const [hash, { path, json }] of pairs) {
    const { declarations } = readSchema(path, git("cat-file", "blob", hash));
    const official = parseJson(git("cat-file", "blob", json));
    if (!isObject(official)) continue;
    const [first] = compareSchemas(official, toJsonSchema(toCompatModel({ declarations })));
    if (first) differences[hash.slice(0, 8)] = first.at;
  }
  const known = Object.values(differing).flatMap((places) =>
    Object.entries(places).flatMap(([at, versions]) => versions.split(" ").map((hash): [string, string] => [hash, at])),
  );
  expect(differences).toEqual(Object.fromEntries(known.filter(([hash]) => hash in differences)));
  expect(pairs.length).toBeGreaterThan(10 * Object.keys(differences).length);
});
