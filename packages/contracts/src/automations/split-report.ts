import type { SplitWinner } from './definition.ts';

/** How far the search for the better branch of a split is. Times are in milliseconds. */
export type SplitReport = Required<SplitWinner> & {
  /** When it is decided at the earliest; null until someone enters. */
  readonly decideAt: number | null;
  /** Of each branch: as it was decided by, or of now. */
  readonly figures: readonly {
    readonly runs: number;
    /** Null: there are too many to count before the decision. */
    readonly hits: number | null;
  }[];
  readonly decision: {
    /** The place of the better branch; null: none was. */
    readonly choice: number | null;
    readonly certainty: number;
    readonly decidedAt: number;
  } | null;
};
