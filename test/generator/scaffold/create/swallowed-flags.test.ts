import { expect, test } from "vitest";
import { refuseSwallowedFlags } from "../../../../generator/scaffold/create/swallowed-flags.ts";

const env = { npm_command: "create", npm_config_protocol: "true" };

test("the suggested `--` is quoted for PowerShell", () => {
  expect(() => refuseSwallowedFlags(["protocol"], { env, platform: "win32" })).toThrow(
    /Put -- before the options: .* -- --protocol \.\.\. In PowerShell it has to stand in quotes: '--'$/,
  );
  expect(() => refuseSwallowedFlags(["protocol"], { env, platform: "linux" })).toThrow(/ -- --protocol \.\.\.$/);
});

test("options that npm did not take are accepted", () => {
  const script = { ...env, npm_command: "run-script" };
  expect(() => refuseSwallowedFlags(["schema"], { env, platform: "win32" })).not.toThrow();
  expect(() => refuseSwallowedFlags(["protocol"], { env: script, platform: "win32" })).not.toThrow();
});
