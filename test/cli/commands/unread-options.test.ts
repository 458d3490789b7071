import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { ts } from "ts-morph";
import { expect, test } from "vitest";
import { commandNames } from "../../../cli/commands/commands.ts";

/* The types of a command accept a row that its code ignores, and yargs lists it in the help: only its reads show that it has an effect. */

const folder = resolve("cli/commands").replaceAll("\\", "/");

/** A command with a row that its code reads, one that it only declares, and one that it does not even declare. */
const sample = `
import { defineCommand, type Command } from "./define-command.ts";
interface SampleOptions { readonly read: string; readonly declared?: string }
async function runSample(options: SampleOptions): Promise<number> { return options.read.length; }
export const sampleCommand: Command = defineCommand({
  call: "sample <read>",
  summary: "",
  options: { read: { type: "string", demandOption: true }, declared: { type: "string" }, "not-declared": { type: "string" } },
  examples: [],
  run: async (options) => runSample(options),
});
`;

test("options of a command are read by its code, which the options of a sample are not", () => {
  const program = createProgram(new Map([[`${folder}/sample.ts`, sample]]));
  const checker = program.getTypeChecker();
  const rows = sourcesOf(program).flatMap((file) => findCommands(file).flatMap((command) => rowsOf(command, checker)));
  const reads = findReads(program, new Set(rows.map(({ field }) => field)));
  const unread = rows.filter(({ isTaken, members }) =>
    members.length > 0 ? !members.some((member) => reads.has(member)) : !isTaken,
  );
  expect(unread.map(({ command, field }) => `${command}: ${field}`)).toEqual([
    "sample: declared",
    "sample: notDeclared",
  ]);
  expect(new Set(rows.map(({ command }) => command))).toEqual(new Set([...commandNames, "$0", "sample"]));
});

/** Compiles the commands with what they import, and further files. Of libraries, the rows need the types of yargs only. */
function createProgram(added: ReadonlyMap<string, string>): ts.Program {
  const { config } = ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path));
  const given = { ...config.compilerOptions, lib: ["es2023"], types: [] };
  const { options } = ts.convertCompilerOptionsFromJson(given, process.cwd());
  const host = ts.createCompilerHost(options);
  const program: ts.CompilerHost = {
    ...host,
    // The compiler of ts-morph has no files of the language's own library beside it.
    getDefaultLibLocation: () => resolve("node_modules/typescript/lib"),
    fileExists: (path) => added.has(path) || host.fileExists(path),
    readFile: (path) => added.get(path) ?? host.readFile(path),
    getSourceFile: (path, language, ...rest) => {
      const text = added.get(path);
      return text === undefined
        ? host.getSourceFile(path, language, ...rest)
        : ts.createSourceFile(path, text, language);
    },
    resolveModuleNameLiterals: (literals, from, redirected) =>
      literals.map(({ text }) =>
        /^(?:\.|yargs)/.test(text)
          ? ts.resolveModuleName(text, from, options, host, undefined, redirected, ts.ModuleKind.ESNext)
          : { resolvedModule: undefined },
      ),
  };
  const names = readdirSync(folder).map((name) => `${folder}/${name}`);
  return ts.createProgram([...names, ...added.keys()], options, program);
}

/** Files of the program without those of libraries. */
function sourcesOf(program: ts.Program): readonly ts.SourceFile[] {
  return program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile);
}

interface FoundCommand {
  readonly name: string;
  readonly run: ts.ArrowFunction;
}

function findCommands(file: ts.SourceFile): FoundCommand[] {
  return nodesOf(file).flatMap((node) => {
    if (!ts.isCallExpression(node) || node.expression.getText(file) !== "defineCommand") return [];
    const [definition] = node.arguments;
    if (!definition || !ts.isObjectLiteralExpression(definition)) return [];
    const valueOf = (name: string): ts.Expression | undefined =>
      definition.properties.filter(ts.isPropertyAssignment).find((one) => one.name.getText(file) === name)?.initializer;
    const [call, run] = [valueOf("call"), valueOf("run")];
    if (!call || !ts.isStringLiteral(call) || !run || !ts.isArrowFunction(run)) return [];
    return [{ name: call.text.split(" ")[0] ?? "", run }];
  });
}

interface Row {
  readonly command: string;
  readonly field: string;
  /** True if the command takes the row out of its options. The linter reports such a variable without a use. */
  readonly isTaken: boolean;
  /** Declarations of the field in the options of the functions that the command calls. */
  readonly members: readonly ts.Node[];
}

function rowsOf({ name, run }: FoundCommand, checker: ts.TypeChecker): Row[] {
  const [options] = run.parameters;
  if (!options) return [];
  const called = nodesOf(run.body).filter(ts.isCallExpression);
  const accepted = called.flatMap((call) => checker.getResolvedSignature(call)?.parameters[0] ?? []);
  const types = accepted.map((parameter) => checker.getTypeOfSymbol(parameter));
  const taken = ts.isObjectBindingPattern(options.name)
    ? options.name.elements.filter((one) => !one.dotDotDotToken)
    : [];
  return checker
    .getTypeAtLocation(options)
    .getProperties()
    .map(({ name: field }) => ({
      command: name,
      field,
      isTaken: taken.some((one) => (one.propertyName ?? one.name).getText() === field),
      members: types.flatMap((type) => type.getProperty(field)?.declarations ?? []),
    }));
}

/** Declarations of members of these names whose values are read somewhere. */
function findReads(program: ts.Program, names: ReadonlySet<string>): ReadonlySet<ts.Node> {
  const checker = program.getTypeChecker();
  const read = (node: ts.Node): readonly ts.Node[] => {
    if (ts.isPropertyAccessExpression(node) && names.has(node.name.text))
      return checker.getSymbolAtLocation(node.name)?.declarations ?? [];
    if (!ts.isBindingElement(node) || node.dotDotDotToken || !ts.isObjectBindingPattern(node.parent)) return [];
    const name = (node.propertyName ?? node.name).getText();
    return names.has(name) ? (checker.getTypeAtLocation(node.parent).getProperty(name)?.declarations ?? []) : [];
  };
  return new Set(sourcesOf(program).flatMap((file) => nodesOf(file).flatMap(read)));
}

/** Returns a node and all below it. */
function nodesOf(root: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}
