/** What is claimed, sent and settled: a delivery, or one address of it if the user has several. */
export type DeliveryTarget = {
  readonly deliveryId: string;
  /** Number of the address within the delivery; absent if it goes to one address. */
  readonly addressNo?: number;
};

/** Map key of a target; for a delivery to one address, its id. */
export function targetKey({ deliveryId, addressNo }: DeliveryTarget): string {
  return addressNo === undefined ? deliveryId : `${deliveryId}/${addressNo}`;
}

/** The target fields of a larger object. */
export function targetOf({ deliveryId, addressNo }: DeliveryTarget): DeliveryTarget {
  return { deliveryId, ...(addressNo !== undefined && { addressNo }) };
}
