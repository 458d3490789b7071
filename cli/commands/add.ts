import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  features as knownFeatures,
  toImportPath,
  withImportEnding,
  type LayerChoices,
} from "../../generator/scaffold/layer/choices.ts";
import { growLayer } from "../../generator/scaffold/add/grow-layer.ts";
import {
  findSample,
  planAddition,
  type Addition,
  type AdditionChoice,
  type AdditionPlan,
} from "../../generator/scaffold/add/addition.ts";
import { readTestSteps } from "../../generator/scaffold/create/package-manager.ts";
import { register } from "../../generator/scaffold/add/register.ts";
import { findServerModule, hasTestClient } from "../../generator/scaffold/add/server-module.ts";
import { writeFiles, type RestoreFiles } from "../../generator/scaffold/add/write-files.ts";
import { formatRendered } from "../../generator/internal/format.ts";
import { loadTemplates } from "../../generator/internal/templates.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { listTools, manifestName } from "../../generator/scaffold/add/bundle-manifest.ts";
import { findDefinition } from "../../generator/scaffold/add/definition.ts";
import { parseManifest } from "../../generator/scaffold/init/manifest.ts";
import { readInstalledLayer, requireProject } from "../../generator/scaffold/layer/installed-layer.ts";
import { systemCode, UserError } from "../../generator/internal/user-error.ts";
import { nextStepsText } from "./report.ts";
import { runInterruptibly } from "./stop-signal.ts";

/** Options of `create-mcp-server add`. */
export interface AddOptions extends AdditionChoice {
  /** Folder of the project. */
  readonly folder: string;
}

/** `create-mcp-server add tool|resource|prompt <name>`: adds a file, its test and its registration. Returns the exit code. */
export function runAdd(options: AddOptions): Promise<number> {
  return runInterruptibly(async (signal) => {
    const { source, test, listed, server } = await add(options, signal);
    if (listed !== undefined && !(await listTools(options.folder, { added: [listed] })))
      console.error(`Warning: ${manifestName} has no list of tools; write ${listed.name} into it by hand.`);
    const added = test === undefined ? source : `${source} and ${test}`;
    const next = nextStepsText(await readTestSteps(options.folder));
    console.log(`Added ${added}, registered in ${server}. ${next}`.trimEnd());
    return 0;
  });
}

/** Result of an addition: the plan, without a test if the project has no client for it, and the module with the definition. */
type Added = Omit<AdditionPlan, "test"> & { readonly test: string | undefined; readonly server: string };

async function add({ folder, ...choice }: AddOptions, signal: AbortSignal): Promise<Added> {
  requireProject(folder);
  const manifest = parseManifest(await readProjectFile(folder, "package.json"), "package.json");
  const { choices } = await readInstalledLayer(folder);
  const path = findServerModule(folder);
  const server = await readProjectFile(folder, path);
  const plan = planAddition(choice, findSample(manifest));
  const { kind, template } = plan;
  await rejectTwin(folder, plan);
  const from = toImportPath(plan.registration.from, choices.imports);
  const served = register(path, server, { ...plan.registration, from });
  const templates = loadTemplates(join(packageRoot, "templates"), [`add/${template}.ts`, "add/test.ts"]);
  const render = (name: string): Promise<string> =>
    formatRendered(templates.render(`add/${name}`, plan.view).replaceAll(/\n{3,}/g, "\n\n"));
  const test = hasTestClient(folder) ? plan.test : undefined;
  const added = new Map([[plan.source, withImportEnding(await render(`${template}.ts`), choices.imports)]]);
  if (test !== undefined) added.set(test, await render("test.ts"));
  rejectPresent(folder, [...added.keys()]);
  const writes = new Map([...added, [path, served]]);
  const write = (): Promise<RestoreFiles> => writeFiles(folder, { writes, removals: [] }, signal);
  await (isOffered(kind, choices) ? write() : growLayer(folder, { part: `${kind}s`, grow: withFeature(kind) }, write));
  return { ...plan, test, server: path };
}

/** Rejects a name already in use. A server with two definitions of one name does not start. */
async function rejectTwin(folder: string, { kind, identity }: AdditionPlan): Promise<void> {
  const twin = await findDefinition(folder, identity);
  if (twin === undefined) return;
  const { member, value } = identity;
  throw new UserError(
    `Nothing was added: ${twin} defines a ${kind} with the ${member} ${JSON.stringify(value)} already. Choose another name.`,
  );
}

async function readProjectFile(folder: string, path: string): Promise<string> {
  return readFile(join(folder, path), "utf8").catch((error: unknown) => {
    throw new UserError(
      `${join(folder, path)} cannot be read (${systemCode(error)}); restore it and run the command again.`,
      { cause: error },
    );
  });
}

/** True if the protocol layer can serve this kind. Tools are always there; the rest only if the layer was generated with it. */
function isOffered(kind: Addition, { features }: LayerChoices): boolean {
  return kind === "tool" || features.includes(`${kind}s`);
}

function withFeature(kind: Addition): (choices: LayerChoices) => LayerChoices {
  return (choices) => {
    const features = knownFeatures.filter((feature) => choices.features.includes(feature) || feature === `${kind}s`);
    return { ...choices, features };
  };
}

/** Rejects existing files: they belong to the user. */
function rejectPresent(folder: string, paths: readonly string[]): void {
  const present = paths.filter((path) => existsSync(join(folder, path)));
  if (present.length === 0) return;
  throw new UserError(
    `Nothing was added: ${present.join(" and ")} ${present.length === 1 ? "exists" : "exist"} already. Choose another name.`,
  );
}
