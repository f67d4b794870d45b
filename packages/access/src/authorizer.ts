import type { KeyType } from '@tidings/contracts/ingest/records';
import type { RateName } from '@tidings/contracts/limits';
import type { BodyToRead } from '@tidings/http/admission';
import type { ClientAddressReader } from '@tidings/http/client-address';
import type { Answer } from '@tidings/http/request-value';
import type { AppError } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { CallerBlocks } from './caller-blocks.ts';
import type { KeyCache } from './key-cache.ts';
import type { KeyUses } from './key-uses.ts';
import type { RateNames, Rates } from './rates.ts';
import type { WrongKeys } from './wrong-keys.ts';

/** What `authorize` needs; `openAccess` creates the real one. */
export type Authorizer<Name extends RateName> = {
  readonly keys: KeyCache;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly wrongKeys: WrongKeys;
  readonly rates: Rates<Name>;
  readonly clientAddressOf: ClientAddressReader;
  readonly callerBlocks: CallerBlocks;
};

/** Bounds the memory of request bodies. */
export interface BodyAdmission {
  /** Whether the body would be admitted now, without waiting. */
  canAdmit(req: IncomingMessage, body: BodyToRead): boolean;
  /** Null: admitted. If `canAdmit` was true in the same tick, `admit` returns null at once. */
  admit(
    req: IncomingMessage,
    res: Answer,
    body: BodyToRead,
  ): null | AppError | Promise<AppError | null>;
}

export type GuardedEndpoint<Name extends RateName> = {
  /** The rates that count a request, by the type of its key. */
  readonly countedBy: Readonly<Record<KeyType, RateNames<Name>>>;
  readonly bodyBytesMax: number;
  /** The key type that the endpoint requires; absent: any. */
  readonly required?: KeyType;
  /** Absent: bodies are not bounded. */
  readonly admission?: BodyAdmission;
};

/**
 * A request during authorization. `headers` collects the headers of its response, for every
 * decision.
 */
export type RequestContext = {
  readonly req: IncomingMessage;
  readonly res: Answer;
  readonly headers: string[];
};

/** Null admits the request; an error rejects it. */
export type Decision = AppError | null;
