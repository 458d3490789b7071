import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { revisions } from "../../../generated/revisions.ts";
import { defineExtension } from "../../../runtime/server/extensions/define-extension.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { extension, id } from "../../runtime/server/extensions/echo.ts";

const text = z.object({ text: z.string() });

/** The official server with the messages of the extension: it says what it hears, and has the client voice it where it can. */
export function createOfficialEcho(): McpServer {
  const received: string[] = [];
  const server = new McpServer({ name: "official", version: "1" }, { capabilities: { extensions: { [id]: {} } } });
  server.server.setRequestHandler("echo/say", { params: text, result: text }, async (params, { mcpReq }) => {
    await mcpReq.notify({ method: "notifications/echo/faded", params: { text: `${params.text}…` } });
    if (params.text !== "voice") return { text: params.text.toUpperCase() };
    return mcpReq.send({ method: "echo/voice", params: { text: params.text } }, text);
  });
  server.server.setRequestHandler("echo/spell", { params: text, result: text }, () => ({ text: received.join(" ") }));
  server.server.setNotificationHandler("notifications/echo/heard", { params: text }, (params) => {
    received.push(params.text);
  });
  return server;
}

/** Ours, which does the same. */
export function createOurEcho(): Server {
  const received: string[] = [];
  const echo = defineExtension(extension, {
    requests: {
      async "echo/say"({ text: said }, { notify, request }) {
        await notify("notifications/echo/faded", { text: `${said}…` });
        return said === "voice" ? request("echo/voice", { text: said }) : { text: said.toUpperCase() };
      },
      "echo/spell": () => ({ text: received.join(" ") }),
    },
    notifications: { "notifications/echo/heard": ({ text: said }) => void received.push(said) },
  });
  return createServer({ name: "ours", version: "1", extensions: [echo] }, revisions);
}
