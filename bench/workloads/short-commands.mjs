// The short form of W17: processor time of a command in microseconds, and of `node -e 0` as its floor.
import path from "node:path";
import { rmSync } from "node:fs";
import { timeCommand, timeNothing } from "../lib/commands.mjs";
import { projectCommand } from "../lib/project.mjs";

const server = () => projectCommand("ours").args[0];
/** The project of the server of W4, which the short form has built before. */
const project = () => path.dirname(path.dirname(server()));
const created = () => path.join(path.dirname(project()), "created");

/** Cheap commands, whose time is mostly that of loading what they need. */
const commands = [
  { id: "--help", run: () => timeCommand(["--help"]) },
  {
    id: "create --yes",
    run() {
      rmSync(created(), { recursive: true, force: true });
      return timeCommand([created(), "--yes", "--no-install", "--no-git"]);
    },
  },
  { id: "explain", run: () => timeCommand(["explain", server(), "--protocol", "2024-11-05"]) },
  { id: "update --dry-run", run: () => timeCommand(["update", project(), "--dry-run"]) },
];

/** The kernel counts in 10 ms, so that each side runs several times. */
const runs = 4;

async function cost(run) {
  let seconds = 0;
  for (let i = 0; i < runs; i += 1) seconds += (await run()).cpu;
  return (seconds * 1e6) / runs;
}

/** Checks of the short form: the ratio is the share of `node -e 0` in the command. */
export const commandChecks = commands.map(({ id, run }) => ({
  id: `${id}, of node -e 0`,
  own: "ours",
  other: "floor",
  cost: ({ id: contestant }) => cost(contestant === "floor" ? timeNothing : run),
}));
