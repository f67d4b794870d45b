import type { AccountChoice } from '@tidings/contracts/channels/accounts';
import type { DeliveryTarget } from './change-states.ts';
import type { DeliveryData } from './delivery-data.ts';

/** A row that a worker has claimed or read. */
export type Fenced = DeliveryTarget & {
  readonly fence: number;
  /**
   * Present if the row was read and not claimed: until when it may be marked or claimed, in seconds
   * of Postgres' clock.
   */
  readonly readUntil?: number;
  /** What was filled into its message, to be recorded when it is marked. */
  readonly data?: DeliveryData;
  /** The account that it is sent by; absent if the channel has one. */
  readonly sentBy?: AccountChoice;
};

/** The two tables of claimed rows, and deliveries that were read instead. */
export type Source = 'deliveries' | 'read' | 'addresses';

/** Sorted, because the rows may be locked. */
export function inOrder<D extends DeliveryTarget>(targets: readonly D[]): D[] {
  return targets.toSorted((a, b) =>
    a.deliveryId === b.deliveryId
      ? (a.addressNo ?? 0) - (b.addressNo ?? 0)
      : a.deliveryId < b.deliveryId
        ? -1
        : 1,
  );
}

/**
 * Groups claims by table, deliveries first, as wherever both are locked. Empty tables are left out.
 */
export function byTable(claims: readonly Fenced[]): (readonly [Source, readonly Fenced[]])[] {
  const sourceOf = ({ addressNo, readUntil }: Fenced): Source =>
    addressNo !== undefined ? 'addresses' : readUntil === undefined ? 'deliveries' : 'read';
  const groups = Map.groupBy(claims, sourceOf);
  return (['deliveries', 'read', 'addresses'] as const).flatMap((source) => {
    const own = groups.get(source);
    return own === undefined ? [] : [[source, own] as const];
  });
}

export const keysOf = (claims: readonly Fenced[]): unknown[] => [
  claims.map(({ deliveryId }) => deliveryId),
  claims.map(({ fence }) => fence),
];
/** What a statement of this source needs besides. */
export const othersOf = (source: Source, claims: readonly Fenced[]): unknown[] =>
  ({
    deliveries: [],
    read: [claims.map(({ readUntil }) => readUntil)],
    addresses: [claims.map(({ addressNo }) => addressNo)],
  })[source];
