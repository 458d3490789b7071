import { cp } from "node:fs/promises";
import { join } from "node:path";

/** Copies the golden spec into a folder, and returns the folder of the copy. */
export async function copyGoldenSpec(folder: string): Promise<string> {
  const spec = join(folder, "spec");
  await cp("test/golden/spec", spec, { recursive: true });
  for (const schema of ["overlay.schema.json", "extension.schema.json"])
    await cp(join("spec", schema), join(spec, schema));
  return spec;
}
