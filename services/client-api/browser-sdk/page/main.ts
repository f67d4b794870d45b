import { field } from '../shared/json.ts';
import type { Tidings, TidingsOptions, TidingsPushResult, TidingsResult } from '../tidings.d.ts';
import { createClient, type Client } from './client.ts';

/** Calls that the snippet queued before this script loaded. */
type Queued = readonly [path: string, args: readonly unknown[], resolve?: (value: unknown) => void];
type Stub = Partial<Tidings> & { queue?: readonly Queued[]; isLoaded?: boolean };

const script =
  document.currentScript instanceof HTMLScriptElement ? document.currentScript : undefined;
const SCRIPT_PATH = /\/+(sdk\/v1\/sdk\.js)?$/;

function createGlobal(): Tidings {
  let client: Client | undefined;
  let waiting: ((ready: Client) => void)[] = [];
  const whenReady = (work: (ready: Client) => void): void =>
    void (client === undefined ? waiting.push(work) : work(client));

  /** The SDK never throws into the page: errors become results. */
  const callWhenReady = <T>(
    work: (ready: Client) => T | Promise<T>,
    failed: (reason: string) => T,
  ): Promise<T> =>
    new Promise<Client>((resolve) => whenReady(resolve))
      .then(work)
      .catch((error: unknown) => failed(String(error)));
  /** Runs synchronously, so that events get the time of the call. */
  const runWhenReady = (work: (ready: Client) => void): void =>
    whenReady((ready) => {
      try {
        work(ready);
      } catch {
        // Invalid arguments: there is no result to report to.
      }
    });
  const result = (reason: string): TidingsResult => ({ ok: false, reason });
  const pushResult = (reason: string): TidingsPushResult => ({
    ok: false,
    state: 'unsupported',
    reason,
  });

  return {
    async init(options) {
      if (client !== undefined) return result('already_initialised');
      try {
        client = createClient({ ...options, baseUrl: readBaseUrl(options) });
      } catch (error) {
        return result(String(error));
      }
      waiting.forEach((work) => client && work(client));
      waiting = [];
      return callWhenReady((ready) => ready.start(), result);
    },
    identify: (userToken) => callWhenReady((ready) => ready.identify(userToken), result),
    logout: () => callWhenReady((ready) => ready.logout(), result),
    setUser: (fields) => runWhenReady((ready) => ready.setUser(fields)),
    track: (event, attributes) => runWhenReady((ready) => ready.track(event, attributes)),
    revenue: (event, amount, currency) =>
      runWhenReady((ready) => ready.revenue(event, amount, currency)),
    push: {
      subscribe: () => callWhenReady((ready) => ready.push.subscribe(), pushResult),
      unsubscribe: () => callWhenReady((ready) => ready.push.unsubscribe(), pushResult),
      state: () =>
        callWhenReady(
          (ready) => ready.push.state(),
          () => 'unsupported' as const,
        ),
    },
  };
}

function readBaseUrl({ baseUrl }: TidingsOptions): string {
  return (baseUrl ?? script?.src ?? location.origin).replace(SCRIPT_PATH, '');
}

function take(stub: Stub): void {
  // Loading the script twice creates one SDK.
  if (stub.isLoaded === true) return;
  const tidings = createGlobal();
  const { queue = [] } = stub;
  // Keeps the same object: the page may hold a reference.
  Object.assign(stub, tidings, {
    push: Object.assign(stub.push ?? {}, tidings.push),
    queue: undefined,
    isLoaded: true,
  });
  for (const [path, args, resolve] of queue) {
    const method = path.split('.').reduce<unknown>(field, tidings);
    const value: unknown = typeof method === 'function' ? method(...args) : undefined;
    resolve?.(value);
  }
  const { applicationId, clientKey, serviceWorker } = script?.dataset ?? {};
  if (applicationId !== undefined && clientKey !== undefined)
    void tidings.init({
      applicationId,
      clientKey,
      ...(serviceWorker === undefined ? {} : { serviceWorker }),
    });
}

take(((globalThis as { tidings?: Stub }).tidings ??= {}));
