/** A message as its provider or a device got it. */
export type ArrivedText = {
  readonly deliveryId: string;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
};
