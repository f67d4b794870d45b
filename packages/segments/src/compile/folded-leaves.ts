import type { FunnelState } from '@tidings/contracts/analytics/funnels';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';

export type FunnelLeaf = LeafOf<'funnel'>;

/** Of whom a leaf about a funnel is true. */
export type FoldedLeaf = {
  /** Ids of persons: texts, or `uuid[]` in the binary form of Postgres. */
  readonly ids: readonly string[] | Buffer;
  /** Of one user: how many steps they reached, if any, and how they stand. */
  readonly evidence: {
    readonly reached: number;
    readonly state: Exclude<FunnelState, 'reached'>;
  } | null;
};

/** Leaves about funnels that were folded before their statement, by `leafKey`. */
export type FoldedLeaves = ReadonlyMap<string, FoldedLeaf>;

/** Leaves with one key are answered by one fold. */
export const foldKey = ({ funnel, within, from, to }: FunnelLeaf): string =>
  JSON.stringify([funnel, within, from, to]);

export const leafKey = (leaf: FunnelLeaf): string =>
  JSON.stringify([foldKey(leaf), leaf.state, leaf.step]);
