/** What is claimed, armed and settled: a delivery, or, where a user has several addresses, one address of it. */
export type DeliveryTarget = {
  readonly deliveryId: string;
  /** Which of the delivery's addresses; absent where it goes to one. */
  readonly addressNo?: number;
};

/** One word for it, where it is the key of a map: of a delivery to one address its id. */
export function targetKey({ deliveryId, addressNo }: DeliveryTarget): string {
  return addressNo === undefined ? deliveryId : `${deliveryId}/${addressNo}`;
}

/** It alone, of whatever else is known of it. */
export function targetOf({ deliveryId, addressNo }: DeliveryTarget): DeliveryTarget {
  return { deliveryId, ...(addressNo !== undefined && { addressNo }) };
}
