/** Frameworks a new project can mount its server in; `none`: the server listens itself. */
export const mounts = ["none", "express", "fastify", "hono", "next"] as const;

/** Framework of a new project. */
export type Mount = (typeof mounts)[number];

/** Framework of an application; `node` is `node:http` without one. */
export type Framework = Exclude<Mount, "none"> | "node";

/** Facts about the framework of an application. */
export interface FrameworkFacts {
  /** Name for messages. */
  readonly title: string;
  /** Oldest supported major version. */
  readonly oldest: number;
  /** Newest tested major version. */
  readonly newest: number;
}

/** Frameworks with packages, by the name of the package. */
export const frameworks: { readonly [Name in Exclude<Framework, "node">]: FrameworkFacts } = {
  express: { title: "Express", oldest: 4, newest: 5 },
  fastify: { title: "Fastify", oldest: 4, newest: 5 },
  hono: { title: "Hono", oldest: 4, newest: 4 },
  next: { title: "Next.js", oldest: 14, newest: 16 },
};

/** Packages by name, with their version ranges. */
export interface Packages {
  readonly [name: string]: string;
}

/** Packages of a new project with a mounted server, in versions tested together. */
export const mountPackages: { readonly [Name in Mount]: Packages } = {
  none: {},
  express: { "@types/express": "^5.0.6", express: "^5.3.0", tsx: "^4.23.15" },
  fastify: { fastify: "^5.12.8", tsx: "^4.23.15" },
  hono: { "@hono/node-server": "^2.1.9", hono: "^4.13.19", tsx: "^4.23.15" },
  // Next.js checks types with the compiler that is written in JavaScript.
  next: { "@types/react": "^19.3.0", "@types/react-dom": "^19.3.0", typescript: "^5.9.3" },
};

/** Packages of a new project at run time, because its framework does not bundle itself. */
export const runtimePackages: { readonly [Name in Mount]: Packages } = {
  none: {},
  express: {},
  fastify: {},
  hono: {},
  next: { next: "^16.4.3", react: "^19.3.0", "react-dom": "^19.3.0" },
};
