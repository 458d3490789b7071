import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandNames } from "../../../../cli/commands/commands.ts";
import { runCli } from "../../../kit/programs.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

const offline = ["--no-install", "--no-git"];

/** Message for a command that is an option of `update` now. */
const codemod = "It is update --codemod now: create-mcp-server update --protocol latest --codemod.";

describe("create-mcp-server <dir>", () => {
  test("`create-mcp-server` writes a project without prompts if there is no terminal", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await runCli(["my-server", ...offline], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/cd my-server\n +npm install .*\n +npm test /);
    expect(listAll(cwd).filter((path) => !path.includes("/"))).toEqual(["my-server"]);
    expect(readFileSync(join(cwd, "my-server", "README.md"), "utf8")).not.toContain(cwd);
  });

  test("`create-mcp-server .` writes a project into the current folder", async () => {
    const cwd = join(temporaryFolder(), "here");
    mkdirSync(cwd);
    const { code, stdout } = await runCli([".", ...offline], { cwd });
    expect(code).toBe(0);
    expect(stdout).not.toContain("cd ");
    expect(listAll(cwd)).toContain("src/server.ts");
  });

  test("`--dry-run` lists the files with their sizes and writes nothing", async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await runCli(["my-server", "--dry-run"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ *\d+ {2}src\/server\.ts$/m);
    expect(stdout).toMatch(/ \d+ {2}bytes in \d+ files; nothing was written\n$/);
    expect(listAll(cwd)).toEqual([]);
  });

  test("`create-mcp-server` gives a folder whose name is no package name a similar one", async () => {
    const { code, stdout } = await runCli(["My Server", ...offline], { cwd: temporaryFolder() });
    expect([code, stdout]).toEqual([0, expect.stringContaining("Created my-server in ")]);
  });

  test.each([
    ["no folder", [], "name a folder for the new project"],
    ["an invalid name", ["x", "--name", "My Server"], "--name my-server"],
    ["an unknown revision", ["x", "--protocol", "1999-01-01"], "Choose from "],
    ["a folder that is not empty", ["full"], "is not empty (file)"],
    ["a file", ["full/file"], "is not a folder"],
    ["two folders", ["x", "y"], "Unknown argument: y"],
    ["an unknown flag", ["x", "--bogus"], "Unknown argument: bogus"],
    ["two names", ["x", "--name", "a", "--name", "b"], '"a,b"'],
    ["a place that cannot be written", ["/proc/x"], /could not be written|cannot be written/],
  ])("`create-mcp-server` rejects %s with a next step and exit code 2", async (_what, args, message) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "full"));
    writeFileSync(join(cwd, "full", "file"), "");
    const { code, stderr } = await runCli([...args, ...offline], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n +at /);
    expect(listAll(cwd)).toEqual(["full", "full/file"]);
  });

  test.each([
    [["add"], "an argument is missing.", "add <kind> <name>", "add --help"],
    [
      ["add", "toool", "x"],
      'kind: unknown value "toool"; choose one of "tool", "resource", "prompt", "openapi".',
      "add <kind> <name>",
      "add --help",
    ],
    [["explain"], "--protocol is missing.", "explain [server..]", "explain --help"],
    [
      ["explain", "--protocl", "2025-11-25"],
      "--protocol is missing. Unknown argument: protocl. Did you mean --protocol?",
      "explain [server..]",
      "explain --help",
    ],
    [
      ["explain", "--verbos"],
      "--protocol is missing. Unknown argument: verbos. Did you mean --verbose?",
      "explain [server..]",
      "explain --help",
    ],
    [["check", "--header"], "--header requires a value.", "check [target..]", "check --help"],
    [["x", "--skip-install"], "Unknown argument: skip-install.", "<dir>", "--help"],
    [["x", "--features", "--yes"], "--features requires a value.", "<dir>", "--help"],
    [["x", "--serve", "tools"], "Unknown argument: serve. --serve is --features now.", "<dir>", "--help"],
    [
      ["update", "--serve=tools"],
      "Unknown argument: serve. --serve is --features now.",
      "update [dir]",
      "update --help",
    ],
    [["x", "--skip-install", "y"], "Unknown argument: skip-install.", "<dir>", "--help"],
    [
      ["upgrade-assist", "demo", "--protocol", "all"],
      `Unknown argument: demo. Unknown command "upgrade-assist". ${codemod}`,
      "<dir>",
      "--help",
    ],
    [["x", "--from"], "--from requires a value.", "<dir>", "--help"],
    [["--verison"], "Unknown argument: verison. Did you mean --version?", "<dir>", "--help"],
    [["x", "--feature", "tools"], "Unknown argument: feature. Did you mean --features?", "<dir>", "--help"],
    [
      ["update", "--protocl=latest"],
      "Unknown argument: protocl. Did you mean --protocol?",
      "update [dir]",
      "update --help",
    ],
    [["add", "tool", "x", "--folder"], "Unknown argument: folder.", "add <kind> <name>", "add --help"],
    [
      ["clinet", "dist/server.js"],
      'Unknown argument: dist/server.js. Unknown command "clinet". Did you mean client?',
      "<dir>",
      "--help",
    ],
    [
      ["create", "demo", "--yes"],
      'Unknown argument: demo. Unknown command "create". To create a project, pass its folder: create-mcp-server my-server.',
      "<dir>",
      "--help",
    ],
  ])("the invalid arguments %j are reported in three lines", async (args, problem, usage, help) => {
    const { code, stdout, stderr } = await runCli(args, { cwd: temporaryFolder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      `create-mcp-server: ${problem}`,
      `Usage: create-mcp-server ${usage}`,
      `More: create-mcp-server ${help}`,
      "",
    ]);
  });

  test("`help add` prints the help of `add`, and `help` that of all commands", async () => {
    const cwd = temporaryFolder();
    const [add, whole] = [await runCli(["help", "add"], { cwd }), await runCli(["help"], { cwd })];
    expect(add).toEqual(await runCli(["add", "--help"], { cwd }));
    expect(whole).toEqual(await runCli(["--help"], { cwd }));
    expect([add.code, add.stdout.split(" <", 1), whole.code]).toEqual([0, ["create-mcp-server add"], 0]);
  });

  test("the help lists the commands whose misspellings are detected", async () => {
    const { stdout } = await runCli(["-h"], { cwd: temporaryFolder() });
    const named = [...stdout.matchAll(/^ {2}create-mcp-server ([a-z-]+) /gm)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set([...commandNames, "demo", "pets", "shop"]));
  });

  test.each(["", ...commandNames])("the output of `%s --help` has examples", async (command) => {
    const { code, stdout, stderr } = await runCli([command, "-h"].filter(Boolean), { cwd: temporaryFolder() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Examples:\\n {2}create-mcp-server ${command}.*\\n {6}\\S`, "m"));
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    // Where a description fills its line, what follows it stands on the next, or sticks to it.
    expect(stdout).not.toMatch(/[^\s\]]\[(?:string|array|number|boolean|choices|default)/);
  });

  test.each([
    ["updat", "update"],
    ["udpate", "update"],
    ["chekc", "check"],
    ["explian", "explain"],
  ])("`%s` is reported as a misspelling of `%s`, and creates no project", async (word, command) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli([word, ...offline], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(
      `unknown command "${word}". Did you mean ${command}? To create a project of this name, pass ./${word}`,
    );
    expect(listAll(cwd)).toEqual([]);
  });

  test.each([
    ["upgrade", "Did you mean update?"],
    ["upgrade-assist", codemod],
    ["migrate", codemod],
    ["deploy", "npm run deploy"],
    ["dev", "npm run dev"],
    ["new", "create-mcp-server my-server"],
    ["version", "Use --version."],
  ])("`%s`, a command of another tool, is reported and creates no project", async (word, advice) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli([word, ...offline], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`unknown command "${word}". `);
    expect(stderr).toContain(advice);
    expect(stderr).toContain(`To create a project of this name, pass ./${word}`);
    expect(listAll(cwd)).toEqual([]);
  });

  test("a bare word inside a project or one of its folders creates no project", async () => {
    const cwd = temporaryFolder();
    expect((await runCli(["demo", ...offline], { cwd })).code).toBe(0);
    const demo = join(cwd, "demo");
    const before = listAll(demo);
    for (const folder of [demo, join(demo, "src")]) {
      const { code, stderr } = await runCli(["notes", ...offline], { cwd: folder });
      expect(code).toBe(2);
      expect(stderr).toContain(`unknown command "notes" (${demo} is already a project).`);
    }
    expect(listAll(demo)).toEqual(before);
    expect((await runCli(["./notes", ...offline], { cwd: demo })).code).toBe(0);
  });

  test.each([["add", "tool", "x"], ["update"], ["update", "--protocol", "all", "--codemod"]])(
    "`%s` rejects a folder that is not a project",
    async (...words) => {
      const cwd = temporaryFolder();
      const { code, stderr } = await runCli(words, { cwd });
      expect(code).toBe(2);
      expect(stderr).toContain(`${cwd} is not a project (it has no src/mcp/mcp.lock.json)`);
      expect(stderr).not.toContain("ENOENT");
    },
  );

  test("`add` in a subfolder of a project is rejected with the folder of the project", async () => {
    const cwd = temporaryFolder();
    expect((await runCli(["demo", ...offline], { cwd })).code).toBe(0);
    const { code, stderr } = await runCli(["add", "tool", "x"], { cwd: join(cwd, "demo", "test") });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`run this in its folder, ${join(cwd, "demo")}`),
    });
  });

  test("a name similar to a command creates a project if it is a path or another word", async () => {
    const cwd = temporaryFolder();
    for (const word of ["./updat", "plan", "agents", "notes", "models"])
      expect((await runCli([word, ...offline], { cwd })).code).toBe(0);
    expect(listAll(cwd)).toEqual(expect.arrayContaining(["updat/package.json", "plan/package.json"]));
  });

  test.each([
    [{ npm_command: "exec", npm_config_protocol: "latest", npm_config_dry_run: "true" }, "--protocol, --dry-run"],
    [{ npm_command: "init", npm_config_package_manager: "pnpm" }, "--package-manager"],
  ])("options that npm took because `--` is missing are reported: %j", async (env, flags) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["x", ...offline], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain(`npm took ${flags} for itself. Put -- before the options`);
    expect(listAll(cwd)).toEqual([]);
  });

  test.each([1, 10, 30])("Ctrl-C while file %i is written leaves no files", async (count) => {
    const cwd = temporaryFolder();
    const preload = `
      import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { writeFileSync } = fs;
      let count = 0;
      fs.writeFileSync = (...args) => {
        writeFileSync(...args);
        if (++count === ${count}) process.kill(process.pid, "SIGINT");
      };
      syncBuiltinESMExports();`;
    const { code, stderr } = await runCli(["my-server", ...offline], { cwd, preload });
    expect(stderr).toContain("interrupted; nothing was written");
    expect(code).toBe(130);
    expect(listAll(cwd)).toEqual([]);
  });

  test("a project whose installation fails is kept, and the error names the command to run", async () => {
    const cwd = temporaryFolder();
    // A registry that nobody serves: no network is needed to fail.
    const env = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0", npm_config_cache: cwd };
    const { code, stderr } = await runCli(["my-server", "--no-git"], { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain("npm install failed");
    expect(stderr).toContain("run `npm install` there");
    expect(listAll(join(cwd, "my-server"))).toContain("src/server.ts");
  });

  test("`create-mcp-server` loads neither ts-morph, json-schema-to-typescript, ajv nor prompts", async () => {
    const cwd = temporaryFolder();
    const log = join(cwd, "modules.txt");
    const hook = `
      import { appendFileSync } from "node:fs";
      export const resolve = async (specifier, context, next) => {
        const result = await next(specifier, context);
        appendFileSync(${JSON.stringify(log)}, result.url + "\\n");
        return result;
      };`;
    const preload = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`;
    const { code } = await runCli(["my-server", ...offline], { cwd, preload });
    expect(code).toBe(0);
    const modules = readFileSync(log, "utf8")
      .split("\n")
      .map((url) => url.slice(url.indexOf("dist/bundle/")));
    const { outputs } = JSON.parse(
      readFileSync(new URL("../../../../dist/.build/programs.json", import.meta.url), "utf8"),
    );
    const files = modules.flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
    const loaded = files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
    expect(loaded).toContain("handlebars");
    expect(loaded).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(ts-morph|json-schema-to-typescript|typescript|ajv|@clack\/.*)$/),
      ]),
    );
  });
});

describe("git", () => {
  const identity = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const user = { "user.name": "A", "user.email": "a@example.org" };
  const known = { ...identity, ...configure(user) };

  test("a first commit is made if git knows the user", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["my-server", "--no-install"], { cwd, env: known });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, "my-server", ".git", "COMMIT_EDITMSG"), "utf8")).toMatch(
      /^Start from create-mcp-server /,
    );
  });

  test("all files are staged and not committed if git does not know the user", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["my-server", "--no-install"], { cwd, env: identity });
    expect(code).toBe(0);
    expect(stderr).toContain("nothing was committed");
    expect(listAll(join(cwd, "my-server", ".git"))).not.toContain("COMMIT_EDITMSG");
    const status = git(join(cwd, "my-server"), "status", "--porcelain").split("\n");
    expect(status).toContain("A  src/server.ts");
    expect(status.filter((line) => !line.startsWith("A  "))).toEqual([]);
  });

  test("a first commit is made if environment variables name the user", async () => {
    const cwd = temporaryFolder();
    const author = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.org" };
    const committer = { GIT_COMMITTER_NAME: "B", GIT_COMMITTER_EMAIL: "b@example.org" };
    const env = { ...identity, ...author, ...committer };
    const { code, stderr } = await runCli(["my-server", "--no-install"], { cwd, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(git(join(cwd, "my-server"), "log", "--format=%ae %ce")).toBe("a@example.org b@example.org");
  });

  test("branch, template and hooks of the user's git configuration are used", async () => {
    const cwd = temporaryFolder();
    for (const folder of ["hooks", "template"]) mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, "template", "own.txt"), "");
    writeFileSync(join(cwd, "hooks", "pre-commit"), "#!/bin/sh\necho no, says the hook\nexit 1\n", { mode: 0o755 });
    const [hooks, template] = [join(cwd, "hooks"), join(cwd, "template")];
    const set = { ...user, "init.defaultBranch": "trunk", "init.templateDir": template, "core.hooksPath": hooks };
    const env = { ...identity, ...configure(set) };
    const { code, stderr } = await runCli(["my-server", "--no-install"], { cwd, env });
    expect(code).toBe(0);
    expect(stderr).toMatch(/git commit failed:\n.*no, says the hook/s);
    expect(git(join(cwd, "my-server"), "symbolic-ref", "HEAD")).toBe("refs/heads/trunk");
    expect(listAll(join(cwd, "my-server", ".git"))).toContain("own.txt");
  });

  test("a project is created even if git is missing", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["my-server", "--no-install"], { cwd, env: { PATH: cwd } });
    expect(code).toBe(0);
    expect(stderr).toContain("git init failed");
    expect(listAll(join(cwd, "my-server"))).toContain("src/server.ts");
  });

  test("no repository is created inside another repository", async () => {
    const cwd = temporaryFolder();
    await runCli(["outer", "--no-install"], { cwd, env: identity });
    const { code } = await runCli(["outer/inner", "--no-install"], { cwd, env: known });
    expect(code).toBe(0);
    expect(listAll(join(cwd, "outer", "inner"))).not.toContain(".git");
  });
});

/** Settings of git, as variables. */
function configure(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(Object.keys(settings).length) };
}

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
}
