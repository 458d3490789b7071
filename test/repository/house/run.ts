import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { rooms } from "../architecture/rooms.ts";
import { files } from "../architecture/sources.ts";
import { measureCalls } from "./calls.ts";
import { measureCircles } from "./circles.ts";
import { measureDeclarations } from "./declarations.ts";
import { toTable } from "./figure.ts";
import { hashProjects } from "./hashes.ts";
import { measureLines } from "./lines.ts";
import { measureOptions } from "./options.ts";
import { measureProse } from "./prose.ts";

/*
 * `npm run house`: figures of the sources with their goals. `-- --hashes` prints a hash for each of many emitted projects: two commits whose lines
 * are equal emit the same projects.
 */

const options = yargs(hideBin(process.argv))
  .usage("npm run house -- [options]")
  .option("hashes", { type: "boolean", default: false, describe: "Print the hashes of emitted projects instead" })
  .option("count", { type: "number", default: 60, describe: "Number of projects" })
  .option("seed", { type: "number", default: 1, describe: "Seed of their selections" })
  .strict()
  .parseSync();

if (options.hashes) {
  for (const line of await hashProjects(options.count, options.seed)) console.log(line);
} else {
  const figures = [
    ...measureCircles(files, "runtime/server"),
    ...rooms.flatMap((room) => measureDeclarations(files, room)),
    ...measureLines(files),
    ...measureOptions(files),
    ...measureProse(files),
    ...(await measureCalls()),
  ];
  console.log(toTable(figures));
}
