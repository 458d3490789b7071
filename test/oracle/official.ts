import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonSchema } from "./json-schema.ts";
import { isObject } from "../../templates/support.ts";
import { officialFolder } from "./official-files.ts";

/** One official example message: valid for the declaration that its folder is named after. */
export interface Example {
  readonly declaration: string;
  readonly file: string;
  readonly text: string;
}

/** Reads the official JSON Schema of a revision. */
export function readOfficialSchema(revision: string): JsonSchema {
  const schema: unknown = JSON.parse(readOfficial(`${revision}/schema.json`));
  if (isObject(schema)) return schema;
  throw new Error(`${officialPath(`${revision}/schema.json`)} is not a JSON Schema object; fetch it again.`);
}

/** Reads the official example messages of a revision, in order of declaration and file name. */
export function readExamples(revision: string): Example[] {
  const folder = officialPath(`${revision}/examples`);
  const folders = readdirSync(folder).sort();
  return folders.flatMap((declaration) =>
    readdirSync(join(folder, declaration))
      .filter((file) => file.endsWith(".json"))
      .sort()
      .map((file) => ({
        declaration,
        file,
        text: readOfficial(join(revision, "examples", declaration, basename(file))),
      })),
  );
}

function readOfficial(path: string): string {
  return readFileSync(officialPath(path), "utf8");
}

/** The official files are not part of the project. */
function officialPath(path: string): string {
  const found = join(officialFolder(), path);
  if (existsSync(found)) return found;
  throw new Error(
    `${found} does not exist; run \`npm run fetch:spec\`, or set MCP_OFFICIAL_DIR to the schema folder of a checkout of ` +
      "github.com/modelcontextprotocol/modelcontextprotocol.",
  );
}
