import {
  schemaLibraries,
  services,
  type SchemaLibrary,
  type Service,
} from "../../generator/scaffold/create/project-choices.ts";

/** One project of the matrix. */
export interface Row {
  /** A revision, or `all`. */
  readonly protocol: string;
  readonly transport: Service;
  readonly schema: SchemaLibrary;
  readonly manager: "npm" | "pnpm" | "yarn" | "berry" | "bun";
  /** Major version of Node that its tests run on; that of this process when absent. */
  readonly node?: 20 | 22 | 24;
  /** Calls it in workerd, the runtime of edge workers. */
  readonly workerd?: true;
}

/** Every revision over every transport with every schema library; every package manager; every Node; workerd. */
export function createRows(revisions: readonly string[]): Row[] {
  const protocols = [...revisions, "all"];
  const usual = { protocol: "all", transport: "both", schema: "zod", manager: "npm" } as const;
  const managers = ["pnpm", "yarn", "berry", "bun"] as const;
  return [
    ...([20, 22, 24] as const).map((node): Row => ({ ...usual, node })),
    ...managers.map((manager): Row => ({ ...usual, manager })),
    ...protocols.map((protocol): Row => ({ ...usual, protocol, transport: "worker", workerd: true })),
    ...protocols.flatMap((protocol) =>
      services.flatMap((transport) =>
        schemaLibraries.map((schema): Row => ({ protocol, transport, schema, manager: "npm" })),
      ),
    ),
  ];
}

/** Returns the name of a row, which words of the command line select. */
export function nameOf({ protocol, transport, schema, manager, node, workerd }: Row): string {
  return [protocol, transport, schema, manager, ...(node ? [`node${node}`] : []), ...(workerd ? ["workerd"] : [])].join(
    " ",
  );
}
