import { expect, test } from "vitest";
import { rejectSwallowedFlags } from "../../../../generator/scaffold/create/swallowed-flags.ts";

const env = { npm_command: "create", npm_config_protocol: "true" };

test("the suggested `--` is quoted for PowerShell", () => {
  expect(() => rejectSwallowedFlags(["protocol"], { env, platform: "win32" })).toThrow(
    /Put -- before the options: .* -- --protocol \.\.\. In PowerShell it has to stand in quotes: '--'$/,
  );
  expect(() => rejectSwallowedFlags(["protocol"], { env, platform: "linux" })).toThrow(/ -- --protocol \.\.\.$/);
});

test("options that npm did not take are accepted", () => {
  const script = { ...env, npm_command: "run-script" };
  expect(() => rejectSwallowedFlags(["schema"], { env, platform: "win32" })).not.toThrow();
  expect(() => rejectSwallowedFlags(["protocol"], { env: script, platform: "win32" })).not.toThrow();
});
