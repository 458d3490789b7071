import { describe, expect, test } from "vitest";
import { readInheritedEnv, toCommand, withEnv, type CommandPlace } from "../../../runtime/transport/command.ts";

const files = new Set([
  "C:\\node\\npx.cmd",
  "C:\\node\\node.exe",
  "C:\\tools\\run.bat",
  "C:\\tools\\pip3.12.cmd",
  "C:\\My Projects\\demo\\node_modules\\.bin\\tsx.cmd",
]);
const windows: CommandPlace = {
  platform: "win32",
  env: { Path: "C:\\windows;C:\\node;C:\\tools", PATHEXT: ".exe;.bat;.cmd", ComSpec: "C:\\windows\\cmd.exe" },
  exists: (file) => files.has(file),
};

test("elsewhere than on Windows commands are started as they are", () => {
  const args = ["a b", '"', "%PATH%"];
  expect(toCommand("npx", args, { platform: "linux", env: {} })).toEqual({ file: "npx", args, verbatim: false });
});

describe("on Windows", () => {
  test.each([
    ["node", "a program on the path"],
    ["C:\\x\\node.exe", "a program by its path"],
    ["nowhere", "something that is not there"],
  ])("%s is started as it is: %s", (command) => {
    expect(toCommand(command, ["a"], windows)).toEqual({ file: command, args: ["a"], verbatim: false });
  });

  test.each([
    ["npx", "C:\\node\\npx.cmd"],
    ["run", "C:\\tools\\run.bat"],
    ["C:\\node\\npx", "C:\\node\\npx.cmd"],
    ["D:/other/tool.CMD", "D:\\other\\tool.CMD"],
  ])("%s is a script and goes through the command interpreter", (command, script) => {
    expect(toCommand(command, ["-y"], windows)).toEqual({
      file: "C:\\windows\\cmd.exe",
      args: ["/d", "/s", "/c", `"${script} ^^^"-y^^^""`],
      verbatim: true,
    });
  });

  test.each([
    ["a b", '^^^"a^^^ b^^^"'],
    ["%PATH%", '^^^"^^^%PATH^^^%^^^"'],
    ["x & calc.exe", '^^^"x^^^ ^^^&^^^ calc.exe^^^"'],
    ['"', '^^^"\\^^^"^^^"'],
    ["C:\\", '^^^"C:\\\\^^^"'],
    ['\\"', '^^^"\\\\\\^^^"^^^"'],
  ])("the argument %s is escaped for both readers", (argument, escaped) => {
    expect(toCommand("npx", [argument], windows).args.at(-1)).toBe(`"C:\\node\\npx.cmd ${escaped}"`);
  });

  const scriptOf = (command: string, place: Partial<CommandPlace>): string | undefined =>
    toCommand(command, [], { ...windows, ...place }).args.at(-1);

  test("scripts are looked for where the program will look: in its own Path, whatever the case of the name", () => {
    expect(scriptOf("run", { env: { PATH: '"C:\\tools"', PATHEXT: ".bat" } })).toBe('"C:\\tools\\run.bat"');
    expect(scriptOf("run", { env: { path: ";;C:\\tools;", pathext: ".exe;.bat" } })).toBe('"C:\\tools\\run.bat"');
    expect(scriptOf("run", { env: { Path: "C:\\node" } })).toBeUndefined();
    expect(
      toCommand("run", [], { ...windows, env: { path: "C:\\tools", pathext: ".bat", comspec: "X:\\c.exe" } }),
    ).toEqual({
      file: "X:\\c.exe",
      args: ["/d", "/s", "/c", '"C:\\tools\\run.bat"'],
      verbatim: true,
    });
  });

  test("a relative script is looked for in the folder that it is started in", () => {
    const cwd = "C:\\My Projects\\demo";
    expect(scriptOf("./node_modules/.bin/tsx", { cwd })).toBe('"node_modules\\.bin\\tsx.cmd"');
    expect(scriptOf("./node_modules/.bin/tsx", { cwd: "C:\\" })).toBe(undefined);
  });

  test("a name with a dot may lack its ending", () => {
    expect(scriptOf("pip3.12", {})).toBe('"C:\\tools\\pip3.12.cmd"');
    expect(scriptOf("npx.cmd", {})).toBe('"C:\\node\\npx.cmd"');
  });

  test("a script in a folder with spaces and brackets is one word", () => {
    const file = "C:\\Program Files (x86)\\nodejs\\npx.cmd";
    const place = {
      env: { Path: "C:\\Program Files (x86)\\nodejs", PATHEXT: ".cmd" },
      exists: (one: string) => one === file,
    };
    expect(scriptOf("npx", place)).toBe('"C:\\Program^ Files^ ^(x86^)\\nodejs\\npx.cmd"');
  });

  test.each(["a\nb", "a\r\ncalc.exe", "\r"])(
    "an argument with a line break is refused, not cut off: %j",
    (argument) => {
      expect(() => toCommand("npx", [argument], windows)).toThrow(
        "npx is a script (C:\\node\\npx.cmd): Windows passes it",
      );
      expect(toCommand("node", [argument], windows).args).toEqual([argument]);
    },
  );

  test("a variable that is given replaces the inherited one of the same name in another case", () => {
    const env = { Path: "C:\\a", SystemRoot: "C:\\w", TEMP: "C:\\t" };
    expect(withEnv({ platform: "win32", env }, { PATH: "C:\\b", temp: "D:\\" })).toEqual({
      SystemRoot: "C:\\w",
      PATH: "C:\\b",
      temp: "D:\\",
    });
    expect(withEnv({ platform: "linux", env }, { PATH: "/b" })).toEqual({ ...env, PATH: "/b" });
  });
});

test("only harmless variables are inherited, whatever the case of their names (R28)", () => {
  const env = { PATH: "/bin", HOME: "/home", AWS_SECRET: "x", SHELL: "() { code; }", USER: undefined };
  expect(readInheritedEnv({ platform: "linux", env })).toEqual({ PATH: "/bin", HOME: "/home" });
  expect(readInheritedEnv({ platform: "win32", env: { Path: "C:\\", SystemRoot: "C:\\w", TOKEN: "x" } })).toEqual({
    Path: "C:\\",
    SystemRoot: "C:\\w",
  });
});
