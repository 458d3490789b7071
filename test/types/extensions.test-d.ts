import { expectTypeOf, test } from "vitest";
import { defineExtension } from "../../runtime/server/extensions/define-extension.ts";
import { extension } from "../runtime/server/extensions/echo.ts";

/* Handlers of an extension are typed by its tables. Each line that is expected not to compile has a mistake. */

test("handlers get the params of their method, and the messages of the extension", () => {
  defineExtension(extension, {
    requests: {
      async "echo/say"({ text }, { notify, request, page }) {
        expectTypeOf(text).toEqualTypeOf<string>();
        await notify("notifications/echo/faded", { text });
        expectTypeOf(await request("echo/voice", { text })).toEqualTypeOf<{ readonly text: string }>();
        expectTypeOf((await page([1, 2])).items).toEqualTypeOf<readonly number[]>();
        return { text };
      },
      "echo/voice"({ text }, { server }) {
        expectTypeOf(server.info).toEqualTypeOf<object>();
        return { text };
      },
    },
    notifications: {
      "notifications/echo/heard": ({ text }, { auth }) => void [text, auth?.principal],
      "notifications/echo/faded": ({ text }, { server }) => void [text, server.info],
    },
    setup(place) {
      if (place.end === "server") expectTypeOf(place.server.tools.size).toEqualTypeOf<number>();
    },
  });
});

test("mistakes in an extension do not compile", () => {
  // @ts-expect-error: the result has a number.
  defineExtension(extension, { requests: { "echo/say": () => ({ text: 1 }) } });
  // @ts-expect-error: the extension has no such request.
  defineExtension(extension, { requests: { "echo/sing": () => ({ text: "" }) } });
  // @ts-expect-error: a notification is no request.
  defineExtension(extension, { requests: { "notifications/echo/heard": () => {} } });
  // @ts-expect-error: the params have no such member.
  defineExtension(extension, { requests: { "echo/say": ({ words }) => ({ text: words }) } });
  defineExtension(extension, {
    requests: {
      async "echo/say"({ text }, { notify }) {
        // @ts-expect-error: the params of the notification are wrong.
        await notify("notifications/echo/faded", { words: text });
        // @ts-expect-error: clients send this notification.
        await notify("notifications/echo/heard", { text });
        return { text };
      },
    },
  });
});
