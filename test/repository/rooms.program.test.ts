import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { rooms } from "./architecture/rooms.ts";

/* The references in the settings of each room say which rooms it may import. The compiler rejects a file of any other. */

const root = join(import.meta.dirname, "..", "..");

/** A file of each room that imports nothing. */
const samples: Readonly<Record<string, string>> = {
  cli: "cli/commands/docs-search.ts",
  cluster: "cluster/copy-value.ts",
  generator: "generator/internal/user-error.ts",
  runtime: "runtime/internal/json-pointer.ts",
  tools: "tools/check/finding.ts",
};

/** Rooms that each room may import. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  cluster: ["runtime"],
  generator: ["runtime"],
  tools: ["runtime", "cluster", "generator"],
  cli: ["runtime", "cluster", "generator", "tools"],
};

describe.each(rooms)("the compiler, in %s", (room) => {
  it.each(rooms.filter((other) => other !== room))(
    "imports of %s are rejected unless the room may have them",
    (other) => {
      const codes = compile(room, samples[other] ?? "");
      const isRejected = codes.includes(6307);
      expect(isRejected).toBe(!allowed[room]?.includes(other));
    },
  );
});

/** Returns the codes of the errors about a program of a room whose only file imports another file. */
function compile(room: string, imported: string): readonly number[] {
  const path = join(root, room, "tsconfig.json");
  const settings = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path, ts.sys.readFile).config,
    ts.sys,
    join(root, room),
  );
  const sample = join(root, room, "sample.ts");
  const host = ts.createCompilerHost(settings.options);
  const { readFile, fileExists } = host;
  const text = `import ${JSON.stringify(`../${imported}`)};`;
  host.readFile = (name) => (name === sample ? text : readFile(name));
  host.fileExists = (name) => name === sample || fileExists(name);
  host.getSourceFile = (name, options) => {
    const source = host.readFile(name);
    return source === undefined ? undefined : ts.createSourceFile(name, source, options);
  };
  const { projectReferences = [] } = settings;
  const options = { ...settings.options, noLib: true, types: [] };
  const program = ts.createProgram({ rootNames: [sample], options, projectReferences, host });
  return ts.getPreEmitDiagnostics(program).map(({ code }) => code);
}
