import type { Logger } from '@tidings/platform';
import type { FaultTable } from '../faults/fault-table.ts';
import type { MessageStore } from '../messages/message-store.ts';

/** What a stand-in provider works with: one store for what it accepts, one table for how it misbehaves. */
export type ProviderContext = {
  readonly store: MessageStore;
  readonly faults: FaultTable;
  readonly logger: Logger;
};

/** A running stand-in with a listener of its own. */
export interface Provider {
  readonly port: number;
  /** Takes no new connections and resolves when those in use are done. */
  close(): Promise<void>;
}
