import { availableParallelism } from "node:os";
import {
  describeFigure,
  atLeast,
  exactly,
  startRun,
  type CampaignResult,
  type Figure,
  type PartOptions,
  type Progress,
} from "../result.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";
import { followingSeed, type Job } from "./job.ts";
import { lanes, nameOf, shares, type Lane } from "./lanes.ts";
import { JobRunner, type Finding, type JobOutcome } from "./run-job.ts";
import { bundleServer } from "./server-program.ts";

/*
 * Fuzzed messages over every transport, to servers and clients, at every revision. The generator and the oracle are those of `test/fuzz`. `--transport`
 * takes a transport or a lane such as `tcp/session`. A finding names the seed that repeats its conversation.
 */

/** Messages of the campaign, and of the short form. */
const defaultMessages = 20_000_000;
const shortMessages = 6_000;

/** Messages of one job: enough that the start of its process does not count. */
const jobMessages = 20_000;

/** Sends messages until there are enough of them, or the time is over: then another run can continue. */
export async function run(options: PartOptions): Promise<CampaignResult> {
  const { seed, isShort, count: messages = isShort ? shortMessages : defaultMessages, transport } = options;
  const { minutes = Infinity, earlier } = options;
  const { finish } = startRun("fuzz", options);
  const chosen = choose(transport);
  const server = await bundleServer();
  try {
    const jobs = chosen.flatMap((lane) =>
      toJobs(lane, { messages: shareOf(lane, chosen, messages), seed }, server.file),
    );
    const tally = new Tally({ total: messages, seconds: earlier?.seconds ?? 0, progress: earlier?.progress });
    await runAll(jobs, { tally, end: Date.now() + minutes * 60_000 });
    const { progress } = tally;
    const unfinished = progress.jobs < jobs.length ? progress : undefined;
    return finish(tally.toFigures(chosen), progress.findings.map(describe), unfinished);
  } finally {
    server.remove();
  }
}

function choose(transport: string | undefined): readonly Lane[] {
  const chosen = lanes.filter((lane) => transport === undefined || [lane.transport, nameOf(lane)].includes(transport));
  if (chosen.length > 0) return chosen;
  throw new Error(
    `The transport ${transport} is unknown; give one of ${Object.keys(shares).join(", ")}, or ${lanes.map(nameOf).join(", ")}`,
  );
}

/** Number of messages of a lane: those of its transport, in equal parts. */
function shareOf({ transport }: Lane, chosen: readonly Lane[], messages: number): number {
  const transports = new Set(chosen.map((lane) => lane.transport));
  const total = [...transports].reduce((sum, name) => sum + shares[name], 0);
  const others = chosen.filter((lane) => lane.transport === transport).length;
  return Math.ceil((messages * shares[transport]) / total / others);
}

interface Size {
  readonly messages: number;
  readonly seed: number;
}

/** Jobs of a lane. Their seeds are so far apart that no conversation is held twice. */
function toJobs(lane: Lane, { messages, seed }: Size, program: string): readonly Job[] {
  const length = Math.ceil(messages / jobMessages);
  return Array.from({ length }, (_value, index) => ({
    lane: nameOf(lane),
    seed: followingSeed(seed, index * jobMessages),
    messages: Math.ceil(messages / length),
    program,
  }));
}

interface RunAllOptions {
  readonly tally: Tally;
  /** Time after which no job begins. */
  readonly end: number;
}

/** Runs jobs in as many processes as there are cores. The lanes take turns, so that a run that is cut short has some of each. */
async function runAll(jobs: readonly Job[], { tally, end }: RunAllOptions): Promise<void> {
  const order = interleave(jobs).slice(tally.progress.jobs);
  const work = async (): Promise<void> => {
    const runner = new JobRunner();
    for (let next = order.shift(); next && Date.now() < end; next = order.shift())
      tally.add(next, await runner.run(next));
    await runner.close();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

/** Orders jobs so that each lane has its jobs at equal distances. */
function interleave(jobs: readonly Job[]): Job[] {
  const lengths = new Map<string, number>();
  for (const { lane } of jobs) lengths.set(lane, (lengths.get(lane) ?? 0) + 1);
  const positions = new Map<string, number>();
  const placed = jobs.map((job) => {
    const position = positions.get(job.lane) ?? 0;
    positions.set(job.lane, position + 1);
    return { job, place: (position + 0.5) / (lengths.get(job.lane) ?? 1) };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ job }) => job);
}

interface TallyOptions {
  /** Number of messages that are to be sent. */
  readonly total: number;
  /** Seconds of the earlier runs, and their progress. */
  readonly seconds: number;
  readonly progress: Progress | undefined;
}

/** Sums of outcomes. */
class Tally {
  readonly #total: number;
  readonly #started: number;
  #progress: Progress = { jobs: 0, cpu: 0, conversations: 0, messages: {}, findings: [] };
  #printed: number;

  constructor({ total, seconds, progress }: TallyOptions) {
    this.#total = total;
    this.#started = Date.now() - seconds * 1000;
    if (progress) this.#progress = progress;
    this.#printed = this.#done;
  }

  get progress(): Progress {
    return this.#progress;
  }

  add({ lane }: Job, { messages, conversations, cpu, findings }: JobOutcome): void {
    const before = this.#progress;
    this.#progress = {
      jobs: before.jobs + 1,
      cpu: before.cpu + cpu,
      conversations: before.conversations + conversations,
      messages: { ...before.messages, [lane]: (before.messages[lane] ?? 0) + messages },
      findings: [...before.findings, ...findings],
    };
    for (const finding of findings) console.log(describe(finding));
    if (this.#done - this.#printed < this.#total / 100) return;
    this.#printed = this.#done;
    const found = this.#progress.findings.length;
    console.log(`${this.#done} messages, ${Math.round(this.#rate())} a second, ${found} findings`);
  }

  toFigures(chosen: readonly Lane[]): readonly Figure[] {
    const { findings, messages, conversations, cpu } = this.#progress;
    const count = (kind: Finding["kind"]): number => findings.filter((finding) => finding.kind === kind).length;
    const sum = (isCounted: (lane: Lane) => boolean): number =>
      chosen.filter(isCounted).reduce((all, lane) => all + (messages[nameOf(lane)] ?? 0), 0);
    const transports = [...new Set(chosen.map(({ transport }) => transport))];
    const hasSessions = chosen.some(({ isStateless }) => !isStateless);
    const hasStateless = chosen.some(({ isStateless }) => isStateless);
    return [
      atLeast("messages", this.#done, { limit: this.#total, unit: "" }),
      exactly("wrong responses", count("wrong"), { limit: 0, unit: "" }),
      exactly("crashes", count("crash"), { limit: 0, unit: "" }),
      exactly("hangs", count("hang"), { limit: 0, unit: "" }),
      describeFigure(
        "to servers",
        sum(({ role }) => role === "server"),
        "",
      ),
      describeFigure(
        "to clients",
        sum(({ role }) => role === "client"),
        "",
      ),
      ...transports.map((name) =>
        describeFigure(
          `over ${name}`,
          sum(({ transport }) => transport === name),
          "",
        ),
      ),
      describeFigure(
        "without a session",
        sum(({ isStateless }) => isStateless),
        "",
      ),
      describeFigure("conversations", conversations, ""),
      describeFigure("revisions", (hasSessions ? handshakeRevisions.length : 0) + (hasStateless ? 1 : 0), ""),
      describeFigure("rate", this.#rate(), "messages/s"),
      describeFigure("rate of one core", this.#done / cpu, "messages/s"),
    ];
  }

  get #done(): number {
    return Object.values(this.#progress.messages).reduce((sum, count) => sum + count, 0);
  }

  #rate(): number {
    return (this.#done * 1000) / (Date.now() - this.#started);
  }
}

function describe({ kind, lane, seed, problem }: Finding): string {
  const repeat =
    seed === undefined ? "" : `; repeat: npm run campaign -- fuzz --transport ${lane} --seed ${seed} --count 1`;
  return `${kind} in ${lane}: ${problem}${repeat}`;
}
