import { parseYaml } from "mcp-server-runtime/adapters/yaml";
import { readSkills, type Skill } from "mcp-server-runtime";

/** Where this package is, whether it runs from its sources or compiled. */
const home = import.meta.resolve("create-mcp-server/package.json");

/** What a host may teach its model: see the folder beside this file. */
export const skills: readonly Skill[] = await readSkills(new URL("examples/everything/skills", home), { parseYaml });
