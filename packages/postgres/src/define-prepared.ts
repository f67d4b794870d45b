import type { Clock } from '@tidings/platform';
import { Client, type ClientConfig } from 'pg';

type Prepared = { readonly name: string; readonly isByKeys: boolean };

const prepared = new Map<string, Prepared>();

/**
 * Marks a frequent statement as prepared: each connection plans it once in 10 s, because planning
 * would cost as much as running it. For constant texts only: a connection keeps every prepared
 * statement.
 */
export function definePrepared(text: string): string {
  return define(text, { isByKeys: false });
}

/**
 * As `definePrepared`, for a statement that finds rows of tables that grow: prepared only where
 * Postgres plans by keys (`isKeyed`). Elsewhere a plan made on empty tables would read all rows when
 * there are many, so there it is planned at each call.
 */
export function definePreparedByKeys(text: string): string {
  return define(text, { isByKeys: true });
}

function define(text: string, { isByKeys }: Pick<Prepared, 'isByKeys'>): string {
  if (!prepared.has(text)) prepared.set(text, { name: `tidings_${prepared.size}`, isByKeys });
  return text;
}

/**
 * A plan is older at most by this. Also a plan by keys may read a whole index if Postgres counted
 * its table as empty, and it would be kept until the next ANALYZE.
 */
const PLAN_AGE_MAX_MS = 10_000;

export type PlanSettings = {
  /** Whether Postgres plans by keys. */
  readonly isKeyed: boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

/** What holds for the statements of one transaction. */
export type StatementBounds = {
  /** After this time without an answer a statement fails. */
  readonly timeoutMs?: number;
  /** Once it aborts, no further statement begins. */
  readonly signal?: AbortSignal;
};

/** A connection that uses prepared statements for the marked texts. */
export class PreparingClient extends Client {
  /** Whether Postgres plans by keys on this connection now. */
  isKeyed: boolean;
  /** Of the transaction that has this connection now. */
  bounds: StatementBounds = {};
  readonly #clock: PlanSettings['clock'];
  readonly #plannedAt = new Map<string, number>();

  constructor(config: ClientConfig | undefined, { isKeyed, clock }: PlanSettings) {
    super(config);
    this.isKeyed = isKeyed;
    this.#clock = clock;
  }

  override query(...args: unknown[]): never {
    const { timeoutMs, signal } = this.bounds;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error) as never;
    const [text, values, ...rest] = args;
    // A statement that answers in its own way, as COPY does, waits as long as others.
    if (isSubmittable(text)) {
      if (timeoutMs !== undefined) text.query_timeout = timeoutMs;
      return (super.query as (...all: unknown[]) => never).apply(this, args);
    }
    const found = typeof text === 'string' ? prepared.get(text) : undefined;
    const query = super.query as (...all: unknown[]) => never;
    const isPrepared = found !== undefined && (!found.isByKeys || this.isKeyed);
    if (typeof text !== 'string' || (!isPrepared && timeoutMs === undefined))
      return query.apply(this, args);
    if (isPrepared) this.#forgetOldPlan(found.name);
    const config = {
      text,
      ...(isPrepared && { name: found.name }),
      ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
    };
    // Without values, a callback may be in their place.
    return Array.isArray(values)
      ? query.call(this, { ...config, values }, ...rest)
      : query.call(this, config, ...args.slice(1));
  }

  /** The next use of an old statement prepares it again, without a round trip of its own. */
  #forgetOldPlan(name: string): void {
    const now = this.#clock.monotonicMs();
    if (now - (this.#plannedAt.get(name) ?? -Infinity) < PLAN_AGE_MAX_MS) return;
    this.#plannedAt.set(name, now);
    const connection = this.connection as unknown as StatementsOfPg;
    if (connection.parsedStatements[name] === undefined) return;
    connection.close({ type: 'S', name });
    delete connection.parsedStatements[name];
  }
}

const isSubmittable = (value: unknown): value is { query_timeout?: number } =>
  typeof value === 'object' && value !== null && 'submit' in value;

/** What pg keeps of a connection, in version 8; define-prepared.integration.test.ts depends on it. */
type StatementsOfPg = {
  readonly parsedStatements: Record<string, string>;
  close(statement: { readonly type: 'S'; readonly name: string }): void;
};
