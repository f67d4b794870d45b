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
  /** Periods in which a 200 would be wrong. */
  readonly outages: Outage[];
  readonly poison: Poison[];
};

export type IngestRow = FaultRow<IngestRun> & {
  /** Maximum rate, if the fault leaves a small machine no time for more. */
  readonly requestsPerSecondMax?: number;
  /** The addressed gateway: `near` by default; `balanced` uses the ready ones in turn. */
  readonly target?: 'near' | 'far' | 'balanced';
  /** Connections may break, because their server is killed. */
  readonly mayBreak?: boolean;
  /** Every response must be 200: the fault is behind the bus, or in an optional dependency. */
  readonly mustAccept?: boolean | 'with Kafka';
  /** Rejected batches are always retried. */
  readonly retriesAll?: boolean;
};
