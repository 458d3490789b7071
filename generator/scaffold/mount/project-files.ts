import { posix } from "node:path";
import { formatRendered } from "../../internal/format.ts";
import type { Templates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { servedModels, type ProjectOptions } from "../create/project-options.ts";
import { isOnStdio } from "../extras/extra-files.ts";
import { emitHandler, handlerTemplate, pathsOf } from "./handler-file.ts";
import type { Mount } from "./frameworks.ts";

/** Files of an application, by path; their templates. */
const files: { readonly [Name in Exclude<Mount, "none">]: { readonly [path: string]: string } } = {
  express: { "src/app.ts": "mount/express/app.ts", "src/server.ts": "mount/express/server.ts" },
  fastify: { "src/app.ts": "mount/fastify/app.ts", "src/server.ts": "mount/fastify/server.ts" },
  hono: { "src/app.ts": "mount/hono/app.ts", "src/server.ts": "mount/hono/server.ts" },
  next: {
    "next.config.ts": "mount/next/next.config.ts",
    "src/app/layout.tsx": "mount/next/layout.tsx",
    "src/app/page.tsx": "mount/next/page.tsx",
    "tsconfig.json": "mount/next/tsconfig.json",
  },
};

/** Files of a server that listens itself: the program, and the declarations of the built handler. */
const served = { "src/server.ts": "project/src/start.ts", "handler.d.ts": "mount/handler.d.ts" };

/** Template of a route of Next.js. */
export const routeTemplate = "mount/next/route.ts";

/** Templates of the files for serving a project over HTTP. */
export const mountTemplates: readonly string[] = [
  ...[handlerTemplate, routeTemplate],
  ...[served, ...Object.values(files)].flatMap((byPath) => Object.values(byPath)),
];

/**
 * Emits the modules around the definition of a server over HTTP, by path: the handler, and the program or the application. `view` is the view of the
 * project.
 */
export async function emitMount(options: ProjectOptions, view: object, templates: Templates): Promise<Tree> {
  const { selection } = options;
  const framework = selection.mount === "none" ? undefined : selection.mount;
  const { auth, scale, extras } = selection;
  const telemetry = extras.includes("otel") ? options.name : undefined;
  const choices = {
    framework,
    auth,
    models: servedModels(options),
    isOnStdio: isOnStdio(selection.transport),
    isScaled: scale !== "none",
    telemetry,
    isOnEdge: false,
  };
  const names = { definition: "./definition.ts", layer: "./mcp/index.ts" };
  const render = async (path: string, template: string): Promise<[string, string]> => {
    const text = templates.render(template, view);
    return [path, /\.tsx?$/.test(path) ? await formatRendered(text) : text];
  };
  const own = framework === undefined ? served : files[framework];
  return new Map([
    ["src/handler.ts", await emitHandler({ ...choices, ...names }, templates)],
    ...(await Promise.all(Object.entries(own).map(([path, template]) => render(path, template)))),
    ...(framework === "next"
      ? await emitRoutes(pathsOf(choices), { folder: "src/app", handler: "src/handler.ts" }, templates)
      : []),
  ]);
}

/** Places of the routes of an application, relative to its folder. */
export interface RoutePlaces {
  /** Folder of the App Router: `src/app` or `app`. */
  readonly folder: string;
  /** Module with the handler, as its path is imported. */
  readonly handler: string;
}

/** Emits a route of the App Router for each path of a server, by path. */
export async function emitRoutes(
  paths: readonly string[],
  { folder, handler }: RoutePlaces,
  templates: Templates,
): Promise<[string, string][]> {
  const routes = paths.map(async (path): Promise<[string, string]> => {
    const place = `${folder}${path}`;
    const view = { handler: posix.relative(place, handler) };
    return [`${place}/route.ts`, await formatRendered(templates.render(routeTemplate, view))];
  });
  return Promise.all(routes);
}
