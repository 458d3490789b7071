import { formatTypeScript } from "../../internal/format.ts";
import type { EngineName } from "../layer/choices.ts";
import type { Templates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { accessVariables } from "../create/access-files.ts";
import { settingsOf } from "../providers/providers.ts";
import { declares, isEliciting, isOverSse, newestOf, type ProjectOptions } from "../create/project-options.ts";
import { serverCommand } from "./host-files.ts";
import { variablesOf, type ServerVariable } from "./server-variables.ts";

/** Files of a project for several nodes on any engine: templates by path. */
const commonFiles: { readonly [path: string]: string } = {
  "src/engine.ts": "scale/engine.ts",
  "test/cluster.test.ts": "scale/cluster.test.ts",
  "compose.yaml": "scale/compose.yaml",
  "deploy/nginx.conf": "scale/deploy/nginx.conf",
  "deploy/haproxy.cfg": "scale/deploy/haproxy.cfg",
  ...Object.fromEntries(
    ["deployment", "service", "pod-disruption-budget", "secret", "network-policy"].map((name) => [
      `deploy/kubernetes/${name}.yaml`,
      `scale/deploy/kubernetes/${name}.yaml`,
    ]),
  ),
};

/** Files for one of the engines only. */
const engineFiles: { readonly [Name in EngineName]: { readonly [path: string]: string } } = {
  redis: {},
  nats: { "deploy/nats.conf": "scale/deploy/nats.conf" },
};

/** Templates of these files. */
export const scaleTemplates: readonly string[] = [commonFiles, ...Object.values(engineFiles)].flatMap((files) =>
  Object.values(files),
);

/** Facts about an engine for the templates. */
const engineViews: { readonly [Name in EngineName]: object } = {
  redis: {
    redis: true,
    nats: false,
    name: "Redis",
    service: "redis",
    port: 6379,
    create: "createRedisEngine",
    url: "redis://redis:6379",
    secureUrl: "rediss://user:password@redis:6379",
    localUrl: "redis://localhost:6379",
  },
  nats: {
    redis: false,
    nats: true,
    name: "NATS",
    service: "nats",
    port: 4222,
    create: "createNatsEngine",
    url: "nats://nats:4222",
    secureUrl: "tls://user:password@nats:4222",
    localUrl: "nats://localhost:4222",
  },
};

/** View of an engine in the templates of a project. */
export function engineView(engine: EngineName): object {
  return engineViews[engine];
}

/** Emits the connection to the engine, its test, and the files for deploying several nodes, by path. */
export async function emitScale(options: ProjectOptions, engine: EngineName, templates: Templates): Promise<Tree> {
  const { revisions, selection, source } = options;
  const { name } = serverCommand(options);
  const app = toLabel(name);
  const namesOf = (variables: readonly ServerVariable[]): readonly string[] => variables.map((one) => one.name);
  const variables = variablesOf(source);
  const required = namesOf(variables.filter(({ isRequired }) => isRequired));
  const models = revisions.flatMap((id) => options.models.models.filter((model) => model.id === id));
  // Newest revision with sessions over Streamable HTTP.
  const session = models.find((model) => model.rules.lifecycle === "handshake" && !isOverSse(model));
  const access = accessVariables(selection);
  const settings = selection.provider ? settingsOf(selection.provider).map((setting) => setting.name) : [];
  const optionalAccess = settings.filter((setting) => !access.includes(setting));
  const isMeasured = selection.extras.includes("otel");
  const view = {
    name,
    engine: engineView(engine),
    app,
    image: app,
    prefix: name.replaceAll(/[^\w.-]+/g, "-").slice(0, 64),
    required: [...access, ...required].map((variable) => ({
      name: variable,
      value: composeValue(variable),
    })),
    otel: isMeasured,
    optional: [
      ...optionalAccess,
      ...namesOf(variables.filter(({ isRequired }) => !isRequired)),
      ...(isMeasured ? ["OTEL_EXPORTER_OTLP_ENDPOINT"] : []),
    ],
    session: session?.id ?? "",
    asks: session !== undefined && isEliciting(options) && declares(session, "ElicitResult"),
    stateless: newestOf(options).id,
  };
  const tree = new Map<string, string>();
  for (const [path, template] of Object.entries({ ...commonFiles, ...engineFiles[engine] })) {
    const text = templates.render(template, view);
    tree.set(path, path.endsWith(".ts") ? await formatTypeScript(text) : `${text.trim()}\n`);
  }
  return tree;
}

/** Value of a variable in `compose.yaml`, taken from the shell, where it must be set. */
function composeValue(variable: string): string {
  return `\${${variable}:?Set ${variable}, see README.md}`;
}

/** Returns a name as Kubernetes and container registries permit it. */
export function toLabel(name: string): string {
  const label = name
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, "");
  if (label === "") return "mcp-server";
  return /^[a-z]/.test(label) && !yamlWords.includes(label) ? label : `mcp-${label}`;
}

/** Words that YAML does not read as text without quotation marks. */
const yamlWords: readonly string[] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
