import type { Route } from '@tidings/api-spec/public-routes';

export type ServiceEntry = {
  readonly name: string;
  /** The service whose code it runs, if its name differs: one of several instances. */
  readonly program?: string;
  /** True if it has an HTTP port besides its health port. */
  readonly hasHttp: boolean;
  /** True if programs wait for its answers: its CPU counts most; see `raisePriority`. */
  readonly isWaitedFor?: boolean;
  /** True if it connects with the database role with fewer rights. */
  readonly hasPublicRole?: boolean;
  /** Services drain stage by stage, so that the work that a stage passes on is still accepted. */
  readonly drainStage: number;
  /** Node flags of its process. */
  readonly nodeFlags?: readonly string[];
};

/** Name of the process with all services. */
export const ONE_PROCESS = 'tidings';

export type ServiceTable = {
  readonly services: readonly ServiceEntry[];
  readonly routes: readonly Route[];
};

/**
 * For development and tests only; the chart does not have it. It replaces the providers, so it
 * drains last. Its memory counts more than its speed.
 */
export const SANDBOX: ServiceEntry = {
  name: 'sandbox',
  hasHttp: true,
  isWaitedFor: true,
  drainStage: 3,
  nodeFlags: ['--max-semi-space-size=1', '--heap-growing-percent=30'],
};
