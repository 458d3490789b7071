import { describe, expect, test } from "vitest";
import {
  readInheritedEnv,
  toCommand,
  withEnv,
  type CommandPlace,
} from "../../../../runtime/transport/stdio/command.ts";
import { readArguments } from "./interpreter.ts";

const files = [
  "C:\\node\\npx.cmd",
  "C:\\node\\node.exe",
  "C:\\tools\\run.bat",
  "C:\\tools\\pip3.12.cmd",
  "C:\\My Projects\\demo\\node_modules\\.bin\\tsx.cmd",
].map((file) => file.toLowerCase());
const windows: CommandPlace = {
  platform: "win32",
  env: { Path: "C:\\windows;C:\\node;C:\\tools", PATHEXT: ".exe;.bat;.cmd", SystemRoot: "C:\\windows" },
  exists: (file) => files.includes(file.toLowerCase()),
};

test("commands are started unchanged on other systems than Windows", () => {
  const args = ["a b", '"', "%PATH%"];
  expect(toCommand("npx", args, { platform: "linux", env: {} })).toEqual({ file: "npx", args, verbatim: false });
});

describe("on Windows", () => {
  test.each([
    ["node", "C:\\node\\node.exe", "found on the path, and never first in the folder that it is started in"],
    ["C:\\node\\node.exe", "C:\\node\\node.exe", "named by its path"],
    ["nowhere", "nowhere", "not there: what starts it says so"],
  ])("the command %s is a program and is started as %s: %s", (command, file) => {
    expect(toCommand(command, ["a"], windows)).toEqual({ file, args: ["a"], verbatim: false });
  });

  test.each([
    ["npx", "C:\\node\\npx.cmd"],
    ["run", "C:\\tools\\run.bat"],
    ["C:\\node\\npx", "C:\\node\\npx.cmd"],
    ["D:/other/tool.CMD", "D:\\other\\tool.CMD"],
  ])("the command %s is a script and is started by the command interpreter of the system", (command, script) => {
    expect(toCommand(command, ["-y"], windows)).toEqual({
      file: "C:\\windows\\System32\\cmd.exe",
      args: ["/d", "/e:on", "/v:off", "/s", "/c", `""${script}" "-y""`],
      verbatim: true,
    });
  });

  test.each([
    ["a b", '"a b"'],
    ["", '""'],
    ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
    ["x & calc.exe", '"x & calc.exe"'],
    ['"', '""""'],
    ["C:\\", '"C:\\\\"'],
    ['\\"', '"\\\\"""'],
  ])("the argument %s is quoted, and nothing in it ends the quotes", (argument, quoted) => {
    expect(toCommand("npx", [argument], windows).args.at(-1)).toBe(`""C:\\node\\npx.cmd" ${quoted}"`);
  });

  describe.each([1, 2])("arguments through %d scripts", (scripts) => {
    const env = { CD: "C:\\", PATH: 'C:\\a" & calc.exe & "', CMDCMDLINE: 'cmd /c "x"' };
    const through = (args: readonly string[], command = "npx"): string[] =>
      readArguments(toCommand(command, args, windows).args.at(-1) ?? "", { env, scripts });

    test.each([
      ["%PATH%", "%%PATH%%"],
      ["%PATH:a=b%", "%PATH:~0,3%"],
      ["%CMDCMDLINE:~-1%&calc.exe"],
      ['" & calc.exe & "', "x"],
      ['\\" & calc.exe', '"" | more', '""" > file'],
      ["^", "^^", '^"', "^&"],
      ["!PATH!", "(a)", "a,b;c=d", "*?"],
      ["C:\\My Files\\", "\\\\server\\share\\"],
      ["https://example.org/?a=1&b=%20c", '{"a":"b c"}'],
    ])("the program gets the argument unchanged, and nothing else runs: %s", (...args) => {
      expect(through(args)).toEqual(args);
    });

    test("the program gets every argument of up to three special characters unchanged", () => {
      const characters = ["", '"', "\\", "%", "^", "&", " ", ":", "~", "a"];
      const words = characters.flatMap((one) =>
        characters.flatMap((two) => characters.map((last) => one + two + last)),
      );
      for (const word of words) expect(through([word, "%PATH%", word])).toEqual([word, "%PATH%", word]);
    });

    test("the program gets its arguments for a command that is not a file name", () => {
      expect(through(["a"], 'x" & calc.exe & ".cmd')).toHaveLength(1);
    });
  });

  const scriptOf = (command: string, place: Partial<CommandPlace>): string | undefined => {
    const { args, verbatim } = toCommand(command, [], { ...windows, ...place });
    return verbatim ? args.at(-1) : undefined;
  };

  test("scripts are searched in the Path of the program, whatever the letter case of the name", () => {
    expect(scriptOf("run", { env: { PATH: '"C:\\tools"', PATHEXT: ".bat" } })).toBe('""C:\\tools\\run.bat""');
    expect(scriptOf("run", { env: { path: ";;C:\\tools;", pathext: ".exe;.bat" } })).toBe('""C:\\tools\\run.bat""');
    expect(scriptOf("run", { env: { Path: "C:\\node" } })).toBeUndefined();
  });

  test("another interpreter has other rules, and is not used", () => {
    const env = { path: "C:\\tools", systemroot: "D:\\w", comspec: "X:\\tcc.exe" };
    expect(toCommand("run", [], { ...windows, env }).file).toBe("D:\\w\\System32\\cmd.exe");
    expect(toCommand("run", [], { ...windows, env: { Path: "C:\\tools" } }).file).toBe(
      "C:\\Windows\\System32\\cmd.exe",
    );
  });

  test("a file that is found first and cannot be started does not hide one that can", () => {
    const exists = (file: string): boolean => ["C:\\a\\npx.JS", "C:\\a\\pip3.12", "C:\\b\\npx.CMD"].includes(file);
    const place = { env: { Path: "C:\\a;C:\\b", PATHEXT: ".COM;.EXE;.BAT;.CMD;.JS" }, exists };
    expect(scriptOf("npx", place)).toBe('""C:\\b\\npx.CMD""');
    expect(toCommand("pip3.12", [], { ...windows, ...place }).file).toBe("pip3.12");
  });

  test("a relative script is searched in the working directory, and started by its whole path", () => {
    const cwd = "C:\\My Projects\\demo";
    const script = '""C:\\My Projects\\demo\\node_modules\\.bin\\tsx.cmd""';
    expect(scriptOf("./node_modules/.bin/tsx", { cwd })).toBe(script);
    expect(scriptOf("run", { cwd: "C:\\tools", env: { Path: ".", PATHEXT: ".bat" } })).toBe('""C:\\tools\\run.bat""');
    expect(scriptOf("./node_modules/.bin/tsx", { cwd: "C:\\" })).toBe(undefined);
  });

  test("a name with a dot may have no extension", () => {
    expect(scriptOf("pip3.12", {})).toBe('""C:\\tools\\pip3.12.cmd""');
    expect(scriptOf("npx.cmd", {})).toBe('""C:\\node\\npx.cmd""');
  });

  test("a script in a folder with spaces, brackets and percent signs is one word", () => {
    const file = "C:\\Program Files (x86)\\100%\\npx.cmd";
    const place = {
      env: { Path: "C:\\Program Files (x86)\\100%", PATHEXT: ".cmd" },
      exists: (one: string) => one === file,
    };
    expect(scriptOf("npx", place)).toBe('""C:\\Program Files (x86)\\100%%cd:~,%\\npx.cmd""');
  });

  test.each(["a\nb", "a\r\ncalc.exe", "\r"])(
    "an argument with a line break is rejected, not cut off: %j",
    (argument) => {
      expect(() => toCommand("npx", [argument], windows)).toThrow(
        "npx is a script (C:\\node\\npx.cmd), which Windows starts without line breaks",
      );
      expect(toCommand("node", [argument], windows).args).toEqual([argument]);
    },
  );

  test("a given variable replaces the inherited one of the same name in another letter case", () => {
    const env = { Path: "C:\\a", SystemRoot: "C:\\w", TEMP: "C:\\t" };
    expect(withEnv({ platform: "win32", env }, { PATH: "C:\\b", temp: "D:\\" })).toEqual({
      SystemRoot: "C:\\w",
      PATH: "C:\\b",
      temp: "D:\\",
    });
    expect(withEnv({ platform: "linux", env }, { PATH: "/b" })).toEqual({ ...env, PATH: "/b" });
  });
});

test("only harmless variables are inherited, whatever the letter case of their names (R28)", () => {
  const env = { PATH: "/bin", HOME: "/home", AWS_SECRET: "x", SHELL: "() { code; }", USER: undefined };
  expect(readInheritedEnv({ platform: "linux", env })).toEqual({ PATH: "/bin", HOME: "/home" });
  expect(readInheritedEnv({ platform: "win32", env: { Path: "C:\\", SystemRoot: "C:\\w", TOKEN: "x" } })).toEqual({
    Path: "C:\\",
    SystemRoot: "C:\\w",
  });
});
