import { describe, expect, onTestFinished, test } from "vitest";
import {
  extension,
  hostNotifications,
  hostRequests,
  viewNotifications,
  viewRequests,
} from "../../../../generated/extensions/ui/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import type { NotificationRow, RequestRow, Table } from "../../../../generated/support.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { createUiResource, uiMimeType } from "../../../../runtime/server/apps/ui-resource.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { appInfo, context, invalidMessages, validMessages } from "./ui-samples.ts";

const requests: Table<RequestRow> = { ...viewRequests, ...hostRequests };
const notifications: Table<NotificationRow> = { ...viewNotifications, ...hostNotifications };

describe("messages between a view and its host", () => {
  test("each message of the specification has a row, and cases here", () => {
    const methods = [...Object.keys(requests), ...Object.keys(notifications)].sort();
    expect([...new Set(validMessages.map(([method]) => method))].sort()).toEqual(methods);
    expect(Object.keys(viewRequests)).toHaveLength(5);
    expect(Object.keys(hostRequests)).toEqual(["ui/resource-teardown"]);
    expect(Object.keys(viewNotifications)).toHaveLength(3);
    expect(Object.keys(hostNotifications)).toHaveLength(6);
  });

  test.each(validMessages)("%s accepts %j", (method, params) => {
    expect((requests[method] ?? notifications[method])?.params(params)).toBeUndefined();
  });

  test.each(invalidMessages)("%s rejects %j at %s", (method, params, path) => {
    expect((requests[method] ?? notifications[method])?.params(params)?.path).toBe(path);
  });

  test("results are those of the request", () => {
    const host = { protocolVersion: "1", hostInfo: appInfo, hostCapabilities: { openLinks: {}, sandbox: {} } };
    expect(viewRequests["ui/initialize"].result(host)).toBeUndefined();
    expect(viewRequests["ui/initialize"].result({ ...host, hostContext: context })).toBeUndefined();
    expect(viewRequests["ui/initialize"].result({ ...host, hostInfo: {} })?.path).toBe("hostInfo/name");
    expect(viewRequests["ui/request-display-mode"].result({ mode: "inline" })).toBeUndefined();
    expect(viewRequests["ui/request-display-mode"].result({})?.path).toBe("mode");
    expect(viewRequests["ui/open-link"].result({ isError: true })).toBeUndefined();
    expect(hostRequests["ui/resource-teardown"].result({})).toBeUndefined();
  });

  test("no row of them is for clients and servers, nor has a capability of theirs", () => {
    const { clientRequests, serverRequests, clientNotifications, serverNotifications } = extension;
    expect([clientRequests, serverRequests, clientNotifications, serverNotifications]).toEqual([{}, {}, {}, {}]);
    for (const row of Object.values(requests)) expect(row).not.toHaveProperty("gate");
    for (const row of [...Object.values(requests), ...Object.values(notifications)])
      expect(row).not.toHaveProperty("needs");
  });

  test.each(revisions.map((revision) => [revision.id, revision] as const))(
    "a server with views does not know them at %s",
    async (_id, revision) => {
      const uri = "ui://test/board";
      const server = createServer(
        {
          name: "test",
          version: "1",
          tools: [{ name: "show", ui: { resourceUri: uri }, execute: () => "3 open" }],
          resources: [createUiResource({ uri, name: "board", html: "<!doctype html><title>Board</title>" })],
        },
        revisions,
      );
      const views = { ...extension, settings: { mimeTypes: [uiMimeType] }, clientRequests: viewRequests };
      const client = await connectInMemory(server, { extensions: [views], revisions: [revision] });
      onTestFinished(() => client.close());
      await expect(client.request("ui/open-link", { url: "https://example.com" })).rejects.toMatchObject({
        code: -32601,
      });
    },
  );
});
