import { beforeEach } from "vitest";
import { seedDelays } from "./delays.ts";

beforeEach(({ task }) => seedDelays(Number(process.env["DELAY_SEED"]), task.name));
