import { relative, resolve, sep } from "node:path";
import type { Metafile, Plugin } from "esbuild";

/*
 * Parts of the runtime that its entries share. The bundler makes a part for each combination of entries that loads a module, which for fifty entries
 * are more than a hundred small files, and each file costs a program half a millisecond at its start. Here, modules become one part when the same
 * common entries load them, or when they belong to one revision. An entry loads the whole of each part that it needs something of.
 */

type Graph = Metafile["inputs"];

/** Scheme of the modules that stand for entries. */
const scheme = "entry";

/** Path of the module that stands for an entry. */
export const entryPath = (entry: string): string => `${scheme}:${entry}`;

interface JoinOptions {
  /** Folder that the paths of the graph are relative to. */
  readonly root: string;
  /** Folder of the build in the root. */
  readonly dist: string;
  readonly graph: Graph;
  /** Files of the entries that programs import together. */
  readonly common: readonly string[];
}

/**
 * Creates a plugin that adds the rest of its parts to each entry, so that the bundler puts these modules together.
 */
export function joinParts({ root, dist, graph, common }: JoinOptions): Plugin {
  const parts = findParts(graph, { dist, common });
  return {
    name: "join-parts",
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${scheme}:`) }, ({ path }) => ({
        path: path.slice(scheme.length + 1),
        namespace: scheme,
      }));
      build.onResolve({ filter: /^\.\.?\// }, ({ path: relativePath, resolveDir, kind }) => {
        const path = resolve(resolveDir, relativePath);
        // A module that is loaded later needs whole parts as well, or else the parts of the entries would be cut at what it needs.
        if (kind === "dynamic-import") return { path: relative(root, path).replaceAll(sep, "/"), namespace: scheme };
        // An import without a name would be dropped if the module had no effects.
        return { path, sideEffects: true };
      });
      build.onLoad({ filter: /.*/, namespace: scheme }, ({ path }) => ({
        contents: [
          ...completeParts(graph, parts, path).map((module) => `import "./${module}";`),
          `export * from "./${path}";`,
        ].join("\n"),
        resolveDir: root,
      }));
    },
  };
}

/**
 * Modules by their parts. Generated modules are a part for each revision, and one for all extensions. The others are by the common entries that load
 * them. Those that load a module of Node.js are apart, so that bundles for other platforms do not import it.
 */
function findParts(graph: Graph, { dist, common }: Pick<JoinOptions, "dist" | "common">): Map<string, string[]> {
  const loaders = new Map<string, string>();
  for (const entry of common) {
    for (const module of reach(graph, [entry])) loaders.set(module, `${loaders.get(module) ?? ""} ${entry}`);
  }
  const parts = new Map<string, string[]>();
  for (const module of Object.keys(graph)) {
    const entries = loaders.get(module);
    const written = entries && `${entries}${needsNode(graph, module) ? " node" : ""}`;
    const key = module.startsWith(`${dist}/generated/`) ? findFolder(module) : written;
    if (key !== undefined && !common.includes(module)) parts.set(key, [...(parts.get(key) ?? []), module]);
  }
  return parts;
}

/**
 * Returns the folder below `generated/`. Modules that all folders share have none: each stays as it is, because its entry needs little. So do calls and
 * stubs, which are in the index, their only entry.
 */
function findFolder(module: string): string | undefined {
  return /\/generated\/([^/]+)\/(?!client|server|index)/.exec(module)?.[1];
}

/** Modules of every part that an entry needs something of. Whole parts may need something of further parts. */
function completeParts(graph: Graph, parts: ReadonlyMap<string, readonly string[]>, entry: string): string[] {
  let needed = reach(graph, [entry]);
  for (;;) {
    const found = [...parts.values()].filter((modules) => modules.some((module) => needed.has(module))).flat();
    const whole = reach(graph, [entry, ...found]);
    if (whole.size === needed.size) return found;
    needed = whole;
  }
}

function needsNode(graph: Graph, module: string): boolean {
  const imports = [...reach(graph, [module])].flatMap((reached) => graph[reached]?.imports ?? []);
  return imports.some(({ path, kind }) => kind === "import-statement" && path.startsWith("node:"));
}

/** Returns the modules that some modules import, and these. */
function reach(graph: Graph, modules: readonly string[]): Set<string> {
  const reached = new Set(modules);
  // The set grows while it is walked.
  for (const module of reached) {
    for (const { path, kind, external } of graph[module]?.imports ?? []) {
      if (kind === "import-statement" && external !== true) reached.add(path);
    }
  }
  return reached;
}
