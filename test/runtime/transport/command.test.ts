import { describe, expect, test } from "vitest";
import { readInheritedEnv, toCommand, type Machine } from "../../../runtime/transport/command.ts";

const files = new Set(["C:\\node\\npx.cmd", "C:\\node\\node.exe", "C:\\tools\\run.bat"]);
const windows: Machine = {
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
});

test("only harmless variables are inherited, whatever the case of their names (R28)", () => {
  const env = { PATH: "/bin", HOME: "/home", AWS_SECRET: "x", SHELL: "() { code; }", USER: undefined };
  expect(readInheritedEnv({ platform: "linux", env })).toEqual({ PATH: "/bin", HOME: "/home" });
  expect(readInheritedEnv({ platform: "win32", env: { Path: "C:\\", SystemRoot: "C:\\w", TOKEN: "x" } })).toEqual({
    Path: "C:\\",
    SystemRoot: "C:\\w",
  });
});
