import type { Templates } from "../../internal/templates.ts";
import { deployView } from "../extras/deploy-files.ts";
import { isOnHttp } from "../extras/extra-files.ts";
import { platformOf, type DeployTarget } from "./deploy-target.ts";
import type { Selection } from "./project-choices.ts";

/** Name of a project's build script. */
export const buildScript = "build.js";

/** Template of the script. */
export const buildTemplate = "project/build.js";

/** Parts of the script. */
export interface BuildScript {
  readonly target: DeployTarget;
  /** Entry points, as the script lists them. */
  readonly entries: string;
  /** Packages outside of the bundle, as the script lists them. Default: none. */
  readonly external?: string;
  /** True if the page of the development server sends the key of a client. Default: false. */
  readonly sendsKey?: boolean;
}

/** Returns the script of a new project. */
export function toBuildScript({
  target,
  transport,
  mount,
  auth,
}: Pick<Selection, "target" | "transport" | "mount" | "auth">): BuildScript {
  const hasHandler = isOnHttp(transport) && mount === "none";
  const sendsKey = hasHandler && auth === "api-key";
  return { target, sendsKey, entries: hasHandler ? '["src/server.ts", "src/handler.ts"]' : entriesOf(target) };
}

/** Entry points of a target. Lambda expects another name than the source has. */
function entriesOf(target: DeployTarget): string {
  if (target === "lambda") return '[{ in: "src/lambda.ts", out: "index" }]';
  return `["${platformOf(target)?.entry ?? "src/server.ts"}"]`;
}

/** Emits the script, which calls the build of the runtime. */
export function emitBuildScript(
  { target, entries, external = "[]", sendsKey = false }: BuildScript,
  templates: Templates,
): string {
  const view = { ...deployView(target), worker: target === "worker", entries, external, sendsKey };
  return templates.render(buildTemplate, view);
}
