import { describe, expect, test } from "vitest";
import { formatDeclarations } from "../../../generator/internal/format-declarations.ts";
import { formatTypeScript } from "../../../generator/internal/format.ts";
import { escapeUnseen } from "../../../generator/internal/text.ts";
import type { Tree } from "../../../generator/internal/tree.ts";
import { features, type LayerChoices } from "../../../generator/scaffold/layer/choices.ts";
import { emitUnformattedLayer, loadLayerParts } from "../../../generator/scaffold/layer/emit-layer.ts";
import { allRevisions, models, smallest } from "../../kit/projects.ts";

const [newest = "", second = "", ...older] = allRevisions;
const [oldest = ""] = older.slice(-1);

/** Modules that were compared. Layers share most of them. */
const compared = new Set<string>();

/** Compares declarations with what the formatter makes of each whole module. */
async function expectFormatted(modules: Tree): Promise<void> {
  const wanted = new Map<string, string>();
  for (const [path, text] of modules)
    if (!compared.has(text)) wanted.set(path, await formatTypeScript(escapeUnseen(text)));
  for (const text of modules.values()) compared.add(text);
  const found = await formatDeclarations(modules);
  expect(Object.fromEntries([...wanted.keys()].map((path) => [path, found.get(path)]))).toEqual(
    Object.fromEntries(wanted),
  );
}

const layers: readonly (Partial<LayerChoices> & { readonly name: string })[] = [
  { name: "a usual layer", features: ["tools", "resources", "prompts"] },
  { name: "the whole of the newest and of an older revision", revisions: [newest, oldest], features, client: true },
  {
    name: "unusual choices",
    revisions: [second, ...older.slice(0, 1)],
    features: ["tools", "prompts", "input"],
    transports: ["stdio", "http", "websocket", "tcp"],
    auth: "oauth",
    scale: "redis",
  },
];

describe("formatting declarations", () => {
  test.each(layers)("declarations of $name are formatted as whole modules are", async (choices) => {
    const wanted = { ...smallest, ...choices };
    await expectFormatted(
      emitUnformattedLayer(wanted, models, await loadLayerParts(models, wanted.revisions.slice(1))),
    );
  });

  test("declarations that the build does not know, comments and lists are formatted as a whole module is", async () => {
    const names = Array.from({ length: 9 }, (_none, index) => `checkAnotherLongName${index}`).join(", ");
    const module = [
      "// Generated.",
      `import { a } from "./a.ts";\nimport { ${names} } from "./b.ts";`,
      `export { ${names} } from "./b.ts";\nexport type { B } from "./b.ts";\nexport * from "./c.ts";`,
      `/** One. */\nexport interface One {\n"two": '2';\n\n  three: {\nfour: "\u200b"\n}[]\n\n}`,
      "type Two = One\n\n & { five: 5 }\n;",
      `export class Three { constructor() {\n\n  a(${names});\n}\n\n}`,
    ];
    await expectFormatted(new Map([["a.ts", `\n${module.join("\n\n\n")}\n\n`]]));
  });
});
