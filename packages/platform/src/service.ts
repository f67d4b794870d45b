import type { Clock, Timers } from './clock.ts';
import type { ConfigOf, ConfigSpec } from './config.ts';
import type { Listen } from './http/listen.ts';
import type { Ids } from './ids.ts';
import type { Logger } from './logger.ts';
import type { Shared } from './shared.ts';

/** A running service. */
export interface Service {
  /** Makes clients reconnect while requests are still answered; absent if there are no clients. */
  disableKeepAlive?(): void;
  /** Accepts no new work; resolves when all work in flight is finished and committed. */
  stopIntake(): Promise<void>;
  /** Closes connections to brokers and stores. */
  disconnect(): Promise<void>;
  /** Whether the service makes progress; absent if a running event loop is enough. */
  isAlive?(): boolean;
  /** Whether its work succeeds; absent if a finished start is enough. */
  isReady?(): boolean;
}

export type ServiceContext = {
  readonly logger: Logger;
  readonly clock: Clock & Timers;
  readonly ids: Ids;
  /** What this process shares between its services. */
  readonly shared: Shared;
  /** Opens the service's HTTP server. */
  readonly listen: Listen;
  /**
   * Drains the process and exits with 1, so it is restarted: for faults that only a new process can
   * clear.
   */
  readonly end: () => void;
};

/** What a service's `service.ts` exports as `service`. */
export type ServiceDefinition<S extends ConfigSpec> = {
  readonly name: string;
  readonly config: S;
  readonly start: (config: ConfigOf<S>, ctx: ServiceContext) => Promise<Service>;
};
