import { oracle, testFiles, whole, type Lane, type Stage } from "./stage.ts";

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

function nodes(layer: string, engine?: string, options = ""): Stage {
  const name = engine === undefined ? `nodes: ${layer}` : `nodes: ${layer}, ${engine}`;
  const words = [layer, ...(engine === undefined ? [] : ["--engine", engine]), options].join(" ");
  return testFiles(name, `npm run -s test:scale -- ${words} --seed "$FUZZ_SEED"`, "--file");
}

/**
 * All stages in groups, which run one after another. The lanes of a group run beside each other: stages that mostly wait beside others that compute,
 * and alone those that measure how long something takes. Nothing is built meanwhile: all use `dist/`.
 */
export const groups: readonly (readonly Lane[])[] = [
  [[whole("project", project)], [whole("programs of Debian", programs)]],
  [
    [testFiles("unit tests", "npm test --"), testFiles("programs", "npm run -s test:programs --")],
    [
      oracle("types", "npm run -s check:types"),
      oracle("lint", "npm run -s lint"),
      oracle("format", "npm run -s check:format"),
    ],
  ],
  [
    [testFiles("wire", "npm run -s test:wire --"), whole("site", 'npx tsx .build/site.ts --out "$RUN_FOLDER/site"')],
    [
      oracle("packages", "npx tsx test/packages/check-package.ts"),
      oracle("oracles", "npm run -s test:oracle"),
      testFiles("tour", "npm run -s test:tour --"),
    ],
  ],
  [
    [testFiles("scaffold", "npm run -s test:scaffold --")],
    [nodes("contract", "redis"), nodes("contract", "nats")],
    [
      nodes("contract", "redis-cluster"),
      nodes("contract", "sentinel"),
      // What several nodes change at once, and a leader that is killed.
      nodes("contract", "nats-cluster", '--only "at once,failover"'),
    ],
  ],
  // The benchmarks compare processor time, which other programs change little.
  [
    [
      testFiles(
        "browser",
        '[ ! -d "$RUN_FOLDER/site" ] || export DOCS_SITE="$RUN_FOLDER/site"; npm run -s test:browser --',
      ),
    ],
    [whole("benchmarks", "npm run -s bench:short")],
  ],
  [
    [oracle("conformance", "npx tsx test/conformance/run.ts")],
    [nodes("model"), nodes("protocol", "redis"), nodes("security", "redis")],
  ],
  // How long a request waits for an engine that does not respond, and how much time a node has to end.
  [[nodes("problems"), nodes("deploy", "redis")]],
  [[oracle("conformance of nodes", "npx tsx test/conformance/run.ts --cluster")]],
  [
    [nodes("faults", "redis", "--minutes 2")],
    [testFiles("fuzz", "FUZZ_MESSAGES=200000 npm run -s test:fuzz --")],
    [
      {
        name: "campaign",
        command: 'npm run -s campaign -- all --short --seed "$FUZZ_SEED"',
        repeat: { kind: "named" },
      },
    ],
  ],
  // Planted faults have to show within seconds.
  [[nodes("mutants", "redis")]],
];
