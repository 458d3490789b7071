import { isOnHttp, isOnStdio, isPackaged, urlOf } from "../extras/extra-files.ts";
import { hostFiles, isHost, type Host } from "../extras/host-files.ts";
import { localEnvironment, requirementsOf } from "../providers/providers.ts";
import { accessVariables } from "./access-files.ts";
import { generatorPackage } from "./launcher.ts";
import { commandsOf } from "./package-manager.ts";
import { runtimePackage } from "./runtime-package.ts";
import type { Scale } from "../layer/choices.ts";
import { platformOf, type DeployTarget } from "./deploy-target.ts";
import type { Extra, Selection, Service } from "./project-choices.ts";
import type { ProjectOptions } from "./project-options.ts";
import { toLabel } from "../extras/scale-files.ts";
import { variablesOf } from "../extras/server-variables.ts";

/** Commands of the README, for the project's package manager. */
export function readmeCommands({ manager, launcher, selection }: ProjectOptions): object {
  const { transport, target, further, auth, mount, extras } = selection;
  const { install, run, latest, installed, update, add } = commandsOf(manager);
  const program = launcher ? installed(generatorPackage) : latest(generatorPackage);
  const overHttp = platformOf(target) ? run("dev") : run("start", ...(transport === "both" ? ["--http", "3000"] : []));
  const withKey = auth === "api-key" ? ", with its key in KEY" : "";
  const rows: (readonly [string, string])[] = [
    [install, ""],
    [run("build"), ""],
    ...(isOnStdio(transport) ? [[run("start"), "waits for a client on stdin; Ctrl-C ends it"] as const] : []),
    ...(isOnHttp(transport) ? [[overHttp, `serves at ${urlOf(selection)}; Ctrl-C ends it`] as const] : []),
    ...further.map((name) => [run("start", `--${name}`, furtherPorts[name]), `serves at ${addresses[name]}`] as const),
    [
      run("dev"),
      platformOf(target)
        ? `serves at ${urlOf(selection)} from source; Ctrl-C ends it`
        : `the same from source; ${mount === "none" ? "clients stay connected" : "it restarts"} when a file changes`,
    ],
    [run("inspect"), isOnStdio(transport) ? inspectNote : `while it runs${withKey}: ${inspectNote}`],
  ];
  const width = Math.max(...rows.map(([command]) => command.length)) + 4;
  const lines = rows.map(([command, note]) => (note === "" ? command : `${command.padEnd(width)}# ${note}`));
  const tests =
    mount === "next"
      ? "checks the types, and tests the route with a client"
      : "builds the server, and tests it over its transports";
  const test = `${run("test").padEnd(width)}# ${tests}`;
  return {
    addRuntime: add(`${runtimePackage}@latest`),
    addGenerator: add(generatorPackage),
    runLines: lines.join("\n"),
    testLines: [test, run("typecheck"), ...(extras.includes("lint") ? [run("lint")] : [])].join("\n"),
    startHttp: auth === "oauth" && isConfiguredByShell(target) ? `${localAccess(selection)} ${overHttp}` : overHttp,
    runScript: Object.fromEntries(
      ["build", "deploy", "dev", "inspect", "start", "token", "key"].map((script) => [script, run(script)]),
    ),
    updateLine: `${program} update`,
    docsLine: `${program} docs`,
    removeLine: `${program} remove`,
    clientLine: `${program} client`,
    checkLine: `${program} check --auth`,
    updateRuntime: update(runtimePackage),
  };
}

/** Variables with which a function accepts the tokens of the local issuer, for a shell. */
function localAccess(selection: Selection): string {
  const { provider } = selection;
  const issuer = provider ? localEnvironment(provider) : { ISSUER: "http://127.0.0.1:4000" };
  return Object.entries({ ...issuer, RESOURCE: urlOf(selection) })
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

/** True if a function reads its variables from the shell during development. Workers read them from a file; programs have defaults. */
function isConfiguredByShell(target: DeployTarget): boolean {
  return target !== "node" && target !== "worker";
}

const furtherPorts = { websocket: "3001", tcp: "4000" } as const;
const addresses = { websocket: "ws://127.0.0.1:3001/mcp", tcp: "tcp://127.0.0.1:4000" } as const;

const inspectNote = "call it in a browser, and see every message and change";

/** Contents of the example file. */
export interface Parts {
  readonly elicits: boolean;
  readonly resources: boolean;
  readonly view: boolean;
  readonly prompts: boolean;
  /** True if the file has a skill written in code. */
  readonly skill: boolean;
}

/** Describes the contents in words: `a tool, a resource and a prompt`. */
export function partsText({ elicits, resources, view, prompts, skill }: Parts): string {
  const parts = [
    elicits ? "two tools" : "a tool",
    ...(resources ? ["a resource"] : []),
    ...(view ? ["a view"] : []),
    ...(prompts ? ["a prompt"] : []),
    ...(skill ? ["a skill"] : []),
  ];
  return parts.join(", ").replace(/, (?=[^,]*$)/, " and ");
}

/** Lines of the README, one for each extra file: its purpose, and the parts to fill in by hand. */
export function extraLines({ selection, name, manager, source }: ProjectOptions): readonly string[] {
  const { transport, extras } = selection;
  const hosts = extras.filter(isHost).map((host) => `\`${hostFiles[host]}\``);
  const first = isOnStdio(transport) ? "build" : "start it";
  const required = variablesOf(source).filter(({ isRequired }) => isRequired);
  const others = {
    transport,
    isOnNpm: isPackaged(selection),
    image: toLabel(name.slice(name.indexOf("/") + 1)),
    build: commandsOf(manager).run("build"),
    access: passOn(requiredAccess(selection)),
    passed: passOn([...engineVariables[selection.scale], ...required.map((variable) => variable.name)]),
  };
  return [
    ...(hosts.length > 0
      ? [`${hosts.join(", ")}: configuration for hosts that open this folder; ${first} first.`]
      : []),
    ...extras.flatMap((extra) => (isHost(extra) ? [] : [extraLine(extra, others)])),
  ];
}

/** Returns the options with which a container gets variables of the shell. */
function passOn(variables: readonly string[]): string {
  return variables.map((variable) => `-e ${variable} `).join("");
}

/** Variables without which a protected project does not serve other machines, with all alternatives. */
function requiredAccess(selection: Selection): readonly string[] {
  const { provider } = selection;
  return provider ? requirementsOf(provider).flatMap((names) => names.split(" or ")) : accessVariables(selection);
}

/** Environment variables required by an engine. */
const engineVariables: { readonly [Name in Scale]: readonly string[] } = {
  none: [],
  redis: ["ENGINE_URL", "MCP_KEYS"],
  nats: ["ENGINE_URL", "MCP_KEYS"],
};

interface Facts {
  readonly transport: Service;
  /** True if npm distributes the program. */
  readonly isOnNpm: boolean;
  /** Name of the container image. */
  readonly image: string;
  /** Command to build the project. */
  readonly build: string;
  /** Options of the container to pass on the variables for access control over HTTP. */
  readonly access: string;
  /** Options of the container to pass on the other required environment variables. */
  readonly passed: string;
}

function extraLine(extra: Exclude<Extra, Host>, facts: Facts): string {
  const { transport, image, build } = facts;
  switch (extra) {
    case "docker":
      return `\`Dockerfile\`: \`docker build -t ${image} .\` builds an image; ${containerText(facts)}.`;
    case "ci":
      return "`.github/workflows/ci.yml`: tests every push on GitHub.";
    case "lint":
      return "`.oxlintrc.json`: the rules of the linter [oxlint](https://oxc.rs/docs/guide/usage/linter).";
    case "claude-desktop":
      return "`claude_desktop_config.json`: an entry for the configuration of Claude Desktop; its path is valid on this machine.";
    case "registry":
      return `\`server.json\`: the entry in the MCP registry. \`.github/workflows/publish.yml\` publishes it when you push a tag. ${registryText(facts)}${cardText(transport)}`;
    case "mcpb":
      return `\`manifest.json\`: manifest of the bundle that \`${build}\` and \`npx @anthropic-ai/mcpb@2 pack\` create for Claude Desktop. Keep its author and tools up to date; \`add\` adds new tools.`;
    case "plugin":
      return `\`plugin/\`: a plugin for hosts with [Agent Plugins](https://agent-plugins.org) and for Claude Code. ${pluginText(transport)}`;
    case "agents":
      return "`AGENTS.md`: instructions for coding agents.";
    case "otel":
      return "`src/telemetry.ts`: exports spans and durations of requests by OTLP over HTTP, if `OTEL_EXPORTER_OTLP_ENDPOINT` is set.";
    default:
      return extra satisfies never;
  }
}

function containerText({ transport, image, access, passed }: Facts): string {
  const onStdio = `\`docker run -i ${passed}${image}\` serves over stdin and stdout`;
  const overHttp = (settings: string): string =>
    `\`docker run -p 127.0.0.1:3000:3000 ${settings}${access}${passed}${image}\` serves over HTTP to this machine`;
  if (transport === "http") return overHttp("");
  if (transport !== "both") return onStdio;
  return `${onStdio}, ${overHttp("-e MCP_HTTP_PORT=3000 -e HOST=0.0.0.0 -e ALLOWED_HOSTS=localhost,127.0.0.1 ")}`;
}

function pluginText(service: Service): string {
  return isOnStdio(service)
    ? "It starts the package from npm, so publish that first. `claude --plugin-dir plugin` tries it."
    : "Replace the address in it with your own. `claude --plugin-dir plugin` tries it.";
}

function cardText(service: Service): string {
  if (service === "stdio") return "";
  return " `server-card.json`: the server card for a host of files, with the same name and your address; `createServerCard` of `mcp-server-runtime/server-card` serves it.";
}

function registryText({ isOnNpm }: Facts): string {
  const name = "Replace `io.github.your-name`";
  return isOnNpm
    ? `${name} in it and in \`package.json\` with the owner of your repository, and publish the first version to npm by hand.`
    : `${name} in it with the owner of your repository, and the address with your own.`;
}
