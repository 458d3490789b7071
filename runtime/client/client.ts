import type { CallOptions, Caller, NotificationRow, RequestRow, Revision } from "../../generated/support.ts";
import type { RequestOptions } from "../rpc/call.ts";
import type { Channel } from "../rpc/channel.ts";
import type { Handlers } from "../rpc/dispatch.ts";
import type { Connection, PeerOptions, State } from "../rpc/peer.ts";
import type { Capabilities, ProgramInfo, Session } from "../rpc/session.ts";
import { openHandshake } from "../lifecycle/open.ts";
import type { PerRevision } from "../lifecycle/handshake.ts";
