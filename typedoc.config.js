import { readFileSync } from "node:fs";
import { OptionDefaults } from "typedoc";

/* `npm run docs:api`: the reference of every entry point of both packages. The build has to come first. */

const { exports } = JSON.parse(readFileSync(new URL("dist/runtime-package/package.json", import.meta.url), "utf8"));
const runtime = Object.values(exports)
  .filter((target) => typeof target === "object")
  .map(({ types }) => types.replace("./", "").replace(/\.d\.ts$/, ".ts"));

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "create-mcp-server",
  entryPoints: ["generator/index.ts", ...runtime],
  tsconfig: "tsconfig.build.json",
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
