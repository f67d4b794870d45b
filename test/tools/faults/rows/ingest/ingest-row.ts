import type { FaultRow, Run } from '../../fault-row.ts';
import type { SentEntry } from '../../load/ingest/batches.ts';
import type { Load } from '../../load/load.ts';
import type { Poison } from '../../load/ingest/poison.ts';
import type { Outage } from '../../oracles/ingest/answers.ts';
import type { IngestRig } from '../../rigs/ingest-rig.ts';
import type { TestApplication } from '../../rigs/rig.ts';

export type IngestRun = Run<IngestRig> & {
  readonly load: Load<SentEntry>;
  readonly applications: readonly TestApplication[];
  /** Times in which a 200 would be a lie. */
  readonly outages: Outage[];
  readonly poison: Poison[];
};

export type IngestRow = FaultRow<IngestRun> & {
  /** Requests per second at most, where a fault leaves a small machine no time for more. */
  readonly requestsPerSecondMax?: number;
  /** Which gateway the load asks: the near one when absent; `balanced` asks those that say they are ready, in turn. */
  readonly target?: 'near' | 'far' | 'balanced';
  /** The caller's connections may break, since their server is killed. */
  readonly mayBreak?: boolean;
  /** Every answer must be 200: what is disturbed is behind Kafka, or not needed. */
  readonly mustAccept?: boolean;
  /** A refused batch is always sent again. */
  readonly retriesAll?: boolean;
};
