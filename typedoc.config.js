import { readFileSync } from "node:fs";
import { OptionDefaults } from "typedoc";

/* `npm run docs:api`: the reference of every entry point in the exports of package.json. */

const { name, exports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const sources = Object.values(exports)
  .filter((target) => typeof target === "object")
  .map(({ types }) => types.replace("./dist/", "").replace(/\.d\.ts$/, ".ts"));

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name,
  entryPoints: sources,
  tsconfig: "tsconfig.json",
  out: "docs-api",
  plugin: ["typedoc-plugin-missing-exports"],
  // Types that exported ones refer to, and that cannot be imported by name, are described under this heading of their entry point.
  internalModule: "Not exported",
  excludeExternals: true,
  // The official schema uses tags of JSON Schema.
  blockTags: [...OptionDefaults.blockTags, "@format", "@maximum", "@maxItems", "@minimum"],
  treatWarningsAsErrors: true,
  readme: "none",
  githubPages: false,
  disableGit: true,
  sourceLinkTemplate: "https://github.com/create-mcp-server/create-mcp-server/blob/main/{path}#L{line}",
};
