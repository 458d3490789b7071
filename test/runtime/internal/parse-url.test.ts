import { expect, test } from "vitest";
import { isUrl, parseUrl } from "../../../runtime/internal/parse-url.ts";

test("a text is recognized as a URL, also after many calls", () => {
  for (let call = 0; call < 100_000; call += 1) isUrl("https://example.com");
  expect(isUrl("https://bücher.example/über")).toBe(true);
  expect(isUrl("bücher")).toBe(false);
  expect(isUrl("/über", "https://bücher.example")).toBe(true);
  expect(parseUrl("über", "https://bücher.example/a/b")?.href).toBe("https://xn--bcher-kva.example/a/%C3%BCber");
  expect(parseUrl("über")).toBeUndefined();
});
