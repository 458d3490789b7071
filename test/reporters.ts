/** Reporters of Vitest. The file that `TEST_REPORT` names gets the results as JSON as well. */
export function reporters(shown: "default" | "verbose"): (string | [string, { readonly outputFile: string }])[] {
  const { TEST_REPORT: outputFile } = process.env;
  return outputFile === undefined ? [shown] : [shown, ["json", { outputFile }]];
}
