import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readlink } from "node:fs/promises";
import { promisify } from "node:util";
import type { Host } from "./host.ts";

/*
 * Network of a test: a bridge, and a network namespace for each host, all inside of the namespace that `run.ts` has created for this process. The
 * kernel removes everything with the last process, so nothing is left behind, however the test ends.
 */

/** Variable with the network namespace from which the test was started. */
export const outerNamespace = "SCALE_OUTER_NAMESPACE";

/** Hosts that a test can cut off from each other. */
export interface Network {
  /** Adds a host. */
  addHost(): Promise<Host>;
  /** Drops all packets between a host and others, as a broken cable does: connections stay open, and new ones get no reply. */
  cut(host: Host, others: readonly Host[]): Promise<void>;
  /** Ends the cut between a host and others. */
  mend(host: Host, others: readonly Host[]): Promise<void>;
  close(): Promise<void>;
}

/** Host in a namespace that lasts as long as its process. */
interface NamespaceHost extends Host {
  readonly keeper: ChildProcess;
}

/**
 * Starts a network without hosts. This process gets an address in it.
 *
 * @throws {Error} when this process is not in a namespace of its own
 */
export async function startNetwork(): Promise<Network> {
  await checkNamespace();
  await runIp(
    [],
    [`link add name ${bridge} type bridge`, `addr add ${subnet}1/24 dev ${bridge}`, `link set ${bridge} up`],
  );
  const hosts: NamespaceHost[] = [];
  const change = async (host: Host, others: readonly Host[], toLine: (address: string) => string): Promise<void> => {
    await runIp(
      host.enter,
      others.map(({ address }) => toLine(address)),
    );
    for (const other of others) await runIp(other.enter, [toLine(host.address)]);
  };
  return {
    async addHost() {
      const host = await addHost(hosts.length + 2);
      hosts.push(host);
      return host;
    },
    // The address of the other host leads to a device that does not exist.
    cut: (host, others) =>
      change(host, others, (address) => `neigh replace ${address} lladdr 02:ff:ff:ff:ff:ff dev eth0 nud permanent`),
    mend: (host, others) => change(host, others, (address) => `neigh del ${address} dev eth0`),
    async close() {
      for (const { keeper } of hosts.splice(0)) await endKeeper(keeper);
      await runIp([], [`link del ${bridge}`]);
    },
  };
}

const bridge = "bridge0";

/** Start of all addresses. They exist in the namespaces of the test only. */
const subnet = "10.213.0.";

async function checkNamespace(): Promise<void> {
  const outer = process.env[outerNamespace];
  if (outer !== undefined && outer !== (await readlink("/proc/self/ns/net"))) return;
  throw new Error(
    "The test has no network namespace of its own; start it with npm run test:scale -- faults --network namespaces",
  );
}

async function addHost(number: number): Promise<NamespaceHost> {
  // It ends with this process, because its standard input does.
  const keeper = spawn("unshare", ["--net", "sh", "-c", "echo ready; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await Promise.race([once(keeper.stdout, "data"), once(keeper, "exit").then(rejectKeeper)]);
  keeper.stdout.resume();
  const enter = ["nsenter", `--net=/proc/${keeper.pid ?? 0}/ns/net`];
  const address = `${subnet}${number}`;
  await runIp(
    [],
    [
      `link add name host${number} type veth peer name eth0 netns ${keeper.pid ?? 0}`,
      `link set host${number} master ${bridge} up`,
    ],
  );
  await runIp(enter, ["link set lo up", `addr add ${address}/24 dev eth0`, "link set eth0 up"]);
  return { address, enter, keeper };
}

function rejectKeeper(): never {
  throw new Error("A network namespace cannot be created; see the message of unshare");
}

async function endKeeper(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const ended = once(keeper, "exit");
  keeper.kill("SIGKILL");
  await ended;
}

/** Runs lines of `ip` in order, at a host or in the namespace of this process. */
async function runIp(enter: readonly string[], lines: readonly string[]): Promise<void> {
  const [program = "", ...args] = [...enter, "ip", "-batch", "-"];
  const running = promisify(execFile)(program, args);
  running.child.stdin?.end(`${lines.join("\n")}\n`);
  await running;
}
