import { expect, test } from "vitest";
import { projectView } from "../../../../generator/scaffold/create/project-view.ts";
import { extraLines } from "../../../../generator/scaffold/create/readme-text.ts";
import { projectOptions } from "../../../kit/projects.ts";

/* Registries of images and workers permit fewer names than npm. */
test.each([
  ["demo", "demo", "demo"],
  ["@me/my.server", "my-server", "my-server"],
  ["a..b", "a-b", "a-b"],
  ["x_", "x", "x"],
  ["1", "mcp-1", "1"],
  ["true", "mcp-true", "true"],
  ["@me/_", "mcp-server", "mcp-server"],
])("the image and the worker of the package %s have valid names", (name, image, workerName) => {
  const options = projectOptions({ name, selection: { extras: "docker" } });
  expect(extraLines(options).join("\n")).toContain(`\`docker build -t ${image} .\``);
  expect(projectView(options)).toMatchObject({ workerName });
});
