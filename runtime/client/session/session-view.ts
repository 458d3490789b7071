import type { Revision } from "../../../generated/support.ts";
import {
  unknownImplementation,
  type Capabilities,
  type ImplementationInfo,
  type Session,
} from "../../protocol/session/session.ts";

/** View of a session: what the client knows of its server. */
export abstract class SessionView {
  abstract readonly session: Session;

  get revision(): Revision {
    return this.session.revision;
  }

  get serverInfo(): ImplementationInfo {
    return this.session.peer.info ?? unknownImplementation;
  }

  get serverCapabilities(): Capabilities {
    return this.session.peer.capabilities;
  }

  get instructions(): string | undefined {
    return this.session.instructions;
  }
}
