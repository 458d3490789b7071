import { readFuzzRevisions } from "../../fuzz/revision.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { followingSeed, mostFindings, type Job, type Report } from "./job.ts";
import { lanes, nameOf } from "./lanes.ts";

/* Process that holds the conversations of jobs. It announces each, so that its parent knows which one it was in when it hangs or crashes. */

// Most messages are rejected with an error; traces of their stacks would take a fifth of the time.
Error.stackTraceLimit = 0;

const sessions = await readFuzzRevisions();
const stateless = await readFuzzRevisions([statelessRevision]);
const unhandled: string[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(`unhandled rejection: ${String(reason)}`));

process.on("message", (job: Job) => {
  // Ends the process, which the parent reports with the conversations that were open.
  run(job).catch((error: unknown) => {
    console.error(error);
    process.exit(3);
  });
});

async function run(job: Job): Promise<void> {
  const lane = lanes.find((one) => nameOf(one) === job.lane);
  if (!lane) throw new Error(`The lane ${job.lane} is unknown.`);
  const { program, trace } = job;
  const conversations = await lane.open({ sessions, stateless, program, ...(trace !== undefined && { trace }) });
  const before = process.cpuUsage();
  let sent = 0;
  let next = 0;
  let found = 0;
  const work = async (): Promise<void> => {
    while (sent < job.messages && found < mostFindings) {
      const seed = followingSeed(job.seed, next);
      next += 1;
      send({ kind: "begin", seed });
      const { messages, problems } = await conversations.converse(seed);
      sent += messages;
      const all = [...problems, ...unhandled.splice(0)];
      found += all.length;
      send({ kind: "end", seed, messages, problems: all });
    }
  };
  await Promise.all(Array.from({ length: lane.atOnce }, work));
  const problems = await conversations.close();
  const { user, system } = process.cpuUsage(before);
  send({ kind: "done", problems: [...problems, ...unhandled.splice(0)], cpu: (user + system) / 1e6 });
}

function send(report: Report): void {
  process.send?.(report);
}
