import { oracle, testFiles, whole, type Stage } from "./stage.ts";

/** Installs the programs of Debian that tests start. Only those that are missing. */
const programs = `
missing=()
need() { for name in "\${@:2}"; do command -v "$name" >/dev/null && return; done; missing+=("$1"); }
for name in nginx haproxy redis-server redis-sentinel nats-server openssl; do need "$name" "$name"; done
need redis-tools redis-cli
need chromium-headless-shell chromium-headless-shell chromium
[ "\${#missing[@]}" = 0 ] && exit
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "\${missing[@]}" >/dev/null`;

/** The second half of the README's first command. `npm install` left the lock file as it is, and `npm ci` accepts it. */
const project = `
git diff --exit-code package-lock.json
npm ci --dry-run --ignore-scripts >/dev/null
rm -rf demo
trap 'rm -rf demo' EXIT
npx create-mcp-server demo --yes
(cd demo && npm test)`;

/** A layer of the tests of several nodes. */
function nodes(layer: string, cores: number, engine?: string, options = ""): Stage {
  const name = engine === undefined ? `nodes: ${layer}` : `nodes: ${layer}, ${engine}`;
  const words = [layer, ...(engine === undefined ? [] : ["--engine", engine]), options].join(" ");
  return testFiles(name, cores, `npm run -s test:scale -- ${words} --seed "$FUZZ_SEED"`, "--file");
}

/** More than any machine has. */
const alone = Infinity;

/** All stages in groups, which run one after another. Nothing is built in the second one: all use `dist/`. */
export const groups: readonly (readonly Stage[])[] = [
  [whole("project", 1, project), whole("programs of Debian", 1, programs)],
  // Stages that compute come first. Stages that mostly wait fill the gaps.
  [
    testFiles("unit tests", 1.6, "npm test --"),
    testFiles("programs", 1.5, "npm run -s test:programs --"),
    testFiles("scaffold", 1.3, "npm run -s test:scaffold --"),
    oracle("conformance", 1, "npx tsx test/conformance/run.ts"),
    testFiles("delays", 1.5, 'DELAY_SEED="$FUZZ_SEED" npm run -s test:delays --'),
    testFiles("fuzz", 1, "FUZZ_MESSAGES=25000 npm run -s test:fuzz --"),
    {
      name: "campaign",
      cores: 1,
      command: 'npm run -s campaign -- all --short --seed "$FUZZ_SEED"',
      repeat: { kind: "named" },
    },
    whole("drill", 0.9, 'npm run -s drill -- --seed "$FUZZ_SEED"'),
    oracle("types", 1, "npm run -s check:types"),
    testFiles("tour", 1, "npm run -s test:tour --"),
    oracle("oracles", 1, "npm run -s test:oracle"),
    testFiles("wire", 0.7, "npm run -s test:wire --"),
    oracle("format", 1, "npm run -s check:format"),
    oracle("lint", 1, "npm run -s lint"),
    oracle("packages", 1, "npx tsx test/packages/check-package.ts"),
    nodes("contract", 0.3, "redis"),
    nodes("contract", 0.3, "nats"),
    nodes("contract", 0.3, "redis-cluster"),
    // What several nodes change at once, and a leader that is killed: the rest is the same as with one server.
    nodes("contract", 0.6, "sentinel", '--only "at once,failover"'),
    nodes("contract", 0.4, "nats-cluster", '--only "at once,failover"'),
    nodes("faults", 0.3, "redis", "--minutes 2"),
    nodes("protocol", 0.5, "redis"),
    nodes("security", 0.4, "redis"),
    nodes("model", 0.7),
    nodes("problems", 0.5),
    nodes("mutants", 0.6, "redis"),
    testFiles("browser", 0.7, "npm run -s test:browser --"),
    oracle("conformance of nodes", 0.9, "npx tsx test/conformance/run.ts --cluster"),
    // Engines and nodes have to respond within a second.
    nodes("deploy", alone, "redis"),
    // The benchmarks compare processor time, which other programs change little, but not nothing.
    whole("benchmarks", alone, "npm run -s bench:short"),
  ],
];
