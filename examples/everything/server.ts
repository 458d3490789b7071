import { parseYaml } from "mcp-server-runtime/adapters/yaml";
import { forRevisions, readSkills } from "mcp-server-runtime";
import { serveAsAsked } from "../command-line.ts";
import { createEverything } from "./everything.ts";
import type { Declarations } from "./mcp/index.ts";

/** Folder of this package, for both sources and compiled files. */
const home = import.meta.resolve("create-mcp-server/package.json");

const skills = await readSkills(new URL("examples/everything/skills", home), { parseYaml });

await serveAsAsked((revisions) => {
  const { defineServer } = forRevisions<Declarations>(revisions);
  return createEverything({ defineServer, skills });
});
