import { describe, expect, it } from "vitest";
import { writeAllConversions } from "../../../../generator/emit/written-conversions.ts";
import { readLayerConversions } from "../../../../generator/scaffold/layer/packaged-conversions.ts";
import { allRevisions, models } from "../../../kit/projects.ts";

const older = allRevisions.slice(1);

describe("conversions of layers", () => {
  it("the build stores the conversions to every revision but the newest, as they are written from the models", async () => {
    const written = writeAllConversions(models.models, older);
    expect([...written.keys()].sort()).toEqual([...older].sort());
    expect(await readLayerConversions(models, older)).toEqual(written);
  });

  it("for another spec folder, only the conversions to the chosen revisions are written", async () => {
    const [newer = "", ...others] = older;
    const newest = models.models.slice(-1);
    const spec = {
      digest: "another",
      models: [...models.models.filter(({ id }) => id === newer), ...newest],
      extensions: [],
      isPackaged: false,
    };
    const read = await readLayerConversions(spec, [newer]);
    expect(read).toEqual(writeAllConversions(models.models, [newer]));
    expect(others.some((id) => read.has(id))).toBe(false);
    expect((await readLayerConversions({ ...models, digest: "another" }, [])).size).toBe(0);
  });
});
