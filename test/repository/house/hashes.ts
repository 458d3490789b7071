import { createHash } from "node:crypto";
import { UserError } from "../../../generator/internal/user-error.ts";
import { deployTargets } from "../../../generator/scaffold/create/deploy-target.ts";
import {
  extras,
  furtherTransports,
  readSelection,
  schemaLibraries,
  services,
  type SelectionText,
} from "../../../generator/scaffold/create/project-choices.ts";
import { emitProject } from "../../../generator/scaffold/create/project-files.ts";
import { features, protections, scales } from "../../../generator/scaffold/layer/choices.ts";
import { chooseRevisions, toCatalogue } from "../../../generator/scaffold/layer/catalogue.ts";
import { mounts } from "../../../generator/scaffold/mount/frameworks.ts";
import { providerNames } from "../../../generator/scaffold/providers/provider.ts";
import { readSpecModels } from "../../../generator/read/spec-models.ts";
import { createRandom, pick, type Random } from "../../kit/random.ts";

/** Returns a line for each of some selections of options: the hash of the project that is emitted for it, and the selection. */
export async function hashProjects(count: number, seed: number): Promise<string[]> {
  const models = await readSpecModels();
  const catalogue = toCatalogue(models.models);
  const lines: string[] = [];
  for (const [index, selection] of drawSelections(count, seed).entries()) {
    // Every third project serves one revision, each of them in turn.
    const one = catalogue[Math.floor(index / 3) % catalogue.length]?.id;
    const revisions = chooseRevisions(index % 3 === 0 ? one : "all", catalogue);
    const project = { ...sample, models, revisions, selection: readSelection(selection) };
    const hash = hashTree(await emitProject(project));
    lines.push(`${hash}  ${JSON.stringify({ newest: revisions[0], ...selection })}`);
  }
  return lines;
}

/** Options as those of a published package: the same in every clone, built or not. */
const sample = {
  folder: "/home/me/demo",
  name: "demo",
  manager: "npm",
  runtime: { version: "^1.0.0", files: new Map<string, string>(), archives: new Map<string, Uint8Array>() },
} as const;

/** Draws different selections that are possible. The same seed gives the same ones. */
export function drawSelections(count: number, seed: number): SelectionText[] {
  const random = createRandom(seed);
  const found = new Map<string, SelectionText>();
  while (found.size < count) {
    const selection = drawSelection(random);
    if (isPossible(selection)) found.set(JSON.stringify(selection), selection);
  }
  return [...found.values()];
}

/** Returns the hash of the files of a project. Those of the runtime are left out: they are the published ones. */
export function hashTree(files: Iterable<readonly [path: string, text: string]>): string {
  const hash = createHash("sha256");
  const sorted = [...files]
    .filter(([path]) => !path.startsWith("vendor/"))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [path, text] of sorted) hash.update(`${path}\n${text.length}\n${text}`);
  return hash.digest("hex");
}

function drawSelection(random: Random): SelectionText {
  const some = (words: readonly string[]): string =>
    words.filter(() => random() < 0.3).join(",") || pick(words, random);
  const rarely = <Value>(value: Value): Value | undefined => (random() < 0.25 ? value : undefined);
  const further = rarely(pick(furtherTransports, random));
  const given = {
    features: some(features),
    transport: [pick(services, random), ...(further ? [further] : [])].join(","),
    target: rarely(pick(deployTargets, random)),
    auth: pick(protections, random),
    provider: rarely(pick(providerNames, random)),
    scale: rarely(pick(scales, random)),
    mount: rarely(pick(mounts, random)),
    schema: pick(schemaLibraries, random),
    client: random() < 0.5,
    extras: some(extras),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function isPossible(selection: SelectionText): boolean {
  try {
    readSelection(selection);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
