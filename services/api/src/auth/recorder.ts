import type { Endpoint } from '@tidings/api-spec/endpoint';
import type { Call } from '../http/call.ts';

type Audited = Pick<Endpoint, 'method' | 'path' | 'recorded' | 'answer'>;
type AnyCall = Call<unknown, unknown>;

/**
 * Runs work with an audit entry: opened before the work, closed with its outcome. For changes and
 * bulk exports.
 */
export type Recorder = <T>(
  what: { readonly endpoint: Audited; readonly call: AnyCall },
  work: () => Promise<T>,
) => Promise<T>;
