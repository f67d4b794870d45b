import autocannon from 'autocannon';

export type Load = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly seconds: number;
  readonly connections: number;
};

export type LoadResult = { readonly requests: number; readonly seconds: number; readonly p50Ms: number; readonly p99Ms: number; readonly notOk: number };

/** A closed loop of requests over some connections, from this process to another one on this machine. */
export async function applyLoad({ url, headers, body, seconds, connections }: Load): Promise<LoadResult> {
  const result = await autocannon({ url, method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body, duration: seconds, connections });
  return {
    requests: result['2xx'],
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    notOk: result.non2xx + result.errors,
  };
}
