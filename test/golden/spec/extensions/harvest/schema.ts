/** An invented extension: a client harvests plants, and the gardener notifies it of ripe ones. It uses declarations of the revision. */
import type { JSONRPCRequest, Moisture, Notification, Parcel, Plant, Result } from "../../2001-01-01/schema.ts";

/** Capability of both sides. */
export interface HarvestCapability {
  /** Plants in the ground can be harvested too. */
  rooted?: boolean;
}

/** Harvests a plant. */
export interface HarvestPlantRequest extends JSONRPCRequest {
  method: "plants/harvest";
  params: { plant: Plant; basket?: string };
}

/** A harvested plant. */
export interface HarvestPlantResult extends Result {
  /** @minimum 0 */
  fruits: number;
}

/** Result of an order whose plant is harvested before. */
export interface HarvestedOrderResult extends Result {
  moisture: Moisture;
  parcel?: Parcel;
}

/** A plant is ripe. */
export interface PlantRipeNotification extends Notification {
  method: "notifications/plants/ripe";
  params: { plant: Plant };
}

/** Members of an order: the harvest that it needs. */
export interface HarvestOrder {
  basket?: string;
}
