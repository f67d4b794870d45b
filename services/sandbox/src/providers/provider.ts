import type { Logger } from '@tidings/platform';
import type { FaultTable } from '../faults/fault-table.ts';
import type { MessageStore } from '../messages/message-store.ts';

/** Shared by all stand-in providers: the store of accepted messages and the active faults. */
export type ProviderContext = {
  readonly store: MessageStore;
  readonly faults: FaultTable;
  readonly logger: Logger;
};

/** A stand-in provider with its own listener. */
export interface Provider {
  readonly port: number;
  /** Accepts no new connections and resolves when the open ones are done. */
  close(): Promise<void>;
}
