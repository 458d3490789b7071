import { setTimeout as sleep } from "node:timers/promises";
import {
  atMost,
  describeFigure,
  exactly,
  startRun,
  type CampaignResult,
  type Figure,
  type PartOptions,
} from "../result.ts";
import type { ServerSettings } from "../server/commands.ts";
import { measureHeap, measureProcess, type HeapContents, type Measurement } from "../server/measure.ts";
import { buildProgram, ServerProcess, toArguments, type ServerProgram } from "../server/server-process.ts";
import { Load, type LoadCommand, type LoadReport } from "./load.ts";
import { createStdioPlace, createUrlPlace } from "./places.ts";

/*
 * Load of half of the highest rate for an hour. The highest rate is measured first: operations at the same time, each followed by the next. Between the
 * steps all clients disconnect, so that server and client are measured at rest.
 */

const transports = ["memory", "stdio", "http", "websocket", "tcp"] as const;

type TransportName = (typeof transports)[number];

/** Milliseconds of the steps. */
interface Durations {
  readonly warmUp: number;
  readonly highest: number;
  /** From the start of the load to the first measurement. */
  readonly first: number;
  /** From the first measurement to the last. */
  readonly second: number;
  /** Without clients before a measurement: sessions without a client have ended then, and kept connections are closed. */
  readonly rest: number;
}

export async function run(options: PartOptions): Promise<CampaignResult> {
  const transport = readTransport(options.transport);
  const started = startRun(`soak-${transport}`, options);
  const program = await buildProgram();
  const durations = toDurations(options);
  const server = await ServerProcess.start(program, { transport, sessionTtl: Math.max(durations.rest / 2, 10_000) });
  try {
    const soak = new Soak(server, { program, settings: { transport }, rest: durations.rest });
    return started.finish(...(await soak.run(options.seed, durations)));
  } finally {
    await server.kill();
    program.remove();
  }
}

/** Operations at the same time that make the highest load. */
const mostRunning = 64;

function readTransport(name: string | undefined): TransportName {
  const known = transports.find((transport) => transport === name);
  if (known === undefined)
    throw new Error(`The transport is ${name ?? "missing"}; give one of ${transports.join(", ")}`);
  return known;
}

function toDurations({ minutes = 60, isShort }: PartOptions): Durations {
  if (isShort) return { warmUp: 200, highest: 300, first: 300, second: 700, rest: 1_000 };
  const all = minutes * 60_000;
  const first = Math.min(5 * 60_000, all / 5);
  return { warmUp: 5_000, highest: 10_000, first, second: all - first, rest: 25_000 };
}

interface SoakOptions {
  readonly program: ServerProgram;
  readonly settings: ServerSettings;
  readonly rest: number;
}

class Soak {
  readonly #server: ServerProcess;
  readonly #execute: (command: LoadCommand) => Promise<LoadReport>;
  readonly #rest: number;
  readonly #violations: string[] = [];

  constructor(server: ServerProcess, { program, settings, rest }: SoakOptions) {
    this.#server = server;
    this.#rest = rest;
    this.#execute = createLoad(server, program, settings);
  }

  async run(seed: number, durations: Durations): Promise<[readonly Figure[], readonly string[]]> {
    await this.#step({ kind: "open", seed });
    await this.#step({ kind: "closed", running: mostRunning, milliseconds: durations.warmUp });
    const highest = await this.#step({ kind: "closed", running: mostRunning, milliseconds: durations.highest });
    const rate = highest.operations / highest.seconds / 2;
    await this.#step({ kind: "rate", rate, milliseconds: durations.first });
    const before = await this.#measure(seed + 1);
    await this.#server.request({ kind: "reset" });
    const load = await this.#step({ kind: "rate", rate, milliseconds: durations.second });
    const loop = await this.#server.request({ kind: "read" });
    const after = await this.#measure(undefined);
    const { hanging } = await this.#server.request({ kind: "read" });
    return [toFigures({ rate, load, before, after, loop: { ...loop, hanging } }), this.#violations];
  }

  async #step(command: LoadCommand): Promise<LoadReport> {
    const report = await this.#execute(command);
    this.#violations.push(...report.failures);
    return report;
  }

  /** Measures both processes without clients, and opens the sessions again. A session on stdio stays: its process would end. */
  async #measure(seed: number | undefined): Promise<Pair> {
    const isKept = this.#server.url === "stdio:";
    if (!isKept) await this.#step({ kind: "close" });
    await sleep(this.#rest);
    const server = await this.#server.request({ kind: "measure" });
    const client = await measureProcess();
    const contents = { server: await this.#server.request({ kind: "measure-heap" }), client: await measureHeap() };
    if (!isKept && seed !== undefined) await this.#step({ kind: "open", seed });
    return { server: { ...server, ...contents.server }, client: { ...client, ...contents.client } };
  }
}

interface Pair {
  readonly server: SoakMeasurement;
  readonly client: SoakMeasurement;
}

interface SoakMeasurement extends Measurement, HeapContents {}

/** The load runs in this process, or inside of the server for the transport in memory. */
function createLoad(
  server: ServerProcess,
  program: ServerProgram,
  settings: ServerSettings,
): (command: LoadCommand) => Promise<LoadReport> {
  if (settings.transport === "memory") return (load) => server.request({ kind: "load", load });
  const isStdio = settings.transport === "stdio";
  const place = isStdio ? createStdioPlace(server.child, toArguments(program, settings)) : createUrlPlace(server.url);
  const load = new Load(place);
  return (command) => load.execute(command);
}

interface Outcome {
  readonly rate: number;
  readonly load: LoadReport;
  readonly before: Pair;
  readonly after: Pair;
  readonly loop: { readonly p99: number; readonly longest: number; readonly hanging: number };
}

function toFigures({ rate, load, before, after, loop }: Outcome): readonly Figure[] {
  const counts = Object.entries(load.counts).map(([name, count]) => describeFigure(`operations: ${name}`, count, ""));
  const longest = Object.entries(load.longest).map(([name, time]) => describeFigure(`longest ${name}`, time, "ms"));
  return [
    describeFigure("load, half of the highest", rate, "operations/s"),
    describeFigure("time from the first measurement to the last", load.seconds / 60, "min"),
    describeFigure("operations in this time", load.operations, ""),
    ...counts,
    ...longest,
    describeFigure("operations interrupted by the end of their session", load.interrupted, ""),
    describeFigure("most operations at the same time", load.mostRunning, ""),
    describeFigure("operations left out, because 512 ran", load.leftOut, ""),
    describeFigure("p50 of an echo", load.p50, "ms"),
    describeFigure("p99 of an echo", load.p99, "ms"),
    ...describeHeap("server", before.server, after.server),
    ...describeHeap("client", before.client, after.client),
    exactly("descriptors of the server", after.server.descriptors, {
      limit: before.server.descriptors,
      unit: "descriptors",
    }),
    exactly("descriptors of the client", after.client.descriptors, {
      limit: before.client.descriptors,
      unit: "descriptors",
    }),
    atMost("p99 of the event-loop delay of the server", loop.p99, { limit: 20, unit: "ms" }),
    describeFigure("longest event-loop delay of the server", loop.longest, "ms"),
    exactly("cancelled calls that still run", loop.hanging, { limit: 0, unit: "" }),
  ];
}

/** Compiled code is no part of the growth: V8 compiles rarer functions for an hour. */
function describeHeap(side: string, before: SoakMeasurement, after: SoakMeasurement): readonly Figure[] {
  const [first, last] = [before.heap - before.code, after.heap - after.code];
  return [
    describeFigure(`heap of the ${side} without compiled code, first`, first / 1e6, "MB"),
    describeFigure(`heap of the ${side} without compiled code, last`, last / 1e6, "MB"),
    atMost(`growth of the heap of the ${side}`, (last / first - 1) * 100, { limit: 5, unit: "%" }),
    describeFigure(`compiled code of the ${side}, first`, before.code / 1e6, "MB"),
    describeFigure(`compiled code of the ${side}, last`, after.code / 1e6, "MB"),
    ...describeGrowth(side, before, after),
  ];
}

/** Kinds of contents that grew most. */
function describeGrowth(side: string, before: SoakMeasurement, after: SoakMeasurement): readonly Figure[] {
  const growths = Object.entries(after.kinds).map(([kind, size]) => ({
    kind,
    growth: size - (before.kinds[kind] ?? 0),
  }));
  const most = growths.filter(({ growth }) => growth >= 10_000).toSorted((a, b) => b.growth - a.growth);
  return most
    .slice(0, 8)
    .map(({ kind, growth }) => describeFigure(`more in the heap of the ${side}: ${kind}`, growth / 1_000, "kB"));
}
