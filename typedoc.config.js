import { readFileSync } from "node:fs";
import { Converter, OptionDefaults } from "typedoc";

/*
 * Reference of the entry points of both packages, as Markdown for the site. The build has to come first. Entries of revisions differ only in the
 * types that docs/protocol describes, so that the newest one stands for all.
 */

const { exports } = JSON.parse(readFileSync(new URL("dist/runtime-package/package.json", import.meta.url), "utf8"));
const { revisions } = JSON.parse(readFileSync(new URL("spec/pins.json", import.meta.url), "utf8"));
const newest = Object.keys(revisions).sort().at(-1);
const older = Object.keys(revisions).filter((id) => id !== newest);

/** Names under which the entry points are imported, by their files. */
const specifiers = new Map([
  ["generator/index.ts", "create-mcp-server"],
  ...Object.entries(exports).flatMap(([subpath, target]) => {
    const isLeft = /\/(validate|methods)$/.test(subpath) || older.some((id) => subpath === `./${id}`);
    if (typeof target !== "object" || isLeft) return [];
    const file = target.types.replace("./", "").replace(/\.d\.ts$/, ".ts");
    return [[file, `mcp-server-runtime${subpath.slice(1)}`]];
  }),
]);

/** Names the modules as they are imported. */
function nameModules(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const file = module.sources?.[0]?.fileName;
      module.name = specifiers.get(file) ?? module.name;
    }
  });
}

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "create-mcp-server",
  entryPoints: [...specifiers.keys()],
  tsconfig: "tsconfig.build.json",
  out: "docs/.vitepress/pages/api",
  plugin: ["typedoc-plugin-missing-exports", "typedoc-plugin-markdown", nameModules],
  router: "module",
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  // Anchors that do not depend on the numbers that a renderer gives to equal headings.
  useHTMLAnchors: true,
  anchorPrefix: "api-",
  // Types that exported ones refer to, and that cannot be imported by name, are described under this heading of their entry point.
  internalModule: "Not exported",
  excludeExternals: true,
  // The build has checked the types.
  skipErrorChecking: true,
  // The official schema uses tags of JSON Schema.
  blockTags: [...OptionDefaults.blockTags, "@format", "@maximum", "@maxItems", "@minimum"],
  treatWarningsAsErrors: true,
  readme: "none",
  githubPages: false,
  disableGit: true,
  sourceLinkTemplate: "https://github.com/create-mcp-server/create-mcp-server/blob/main/{path}#L{line}",
};
