import type { Random } from '../random.ts';
import type { Entry } from '../ledger.ts';
import { startLoad } from '../load.ts';

export type Posted = Entry & { readonly body: string };

/** Posts each until it is accepted. @throws if one is not */
export async function postAll(
  bodies: readonly object[],
  {
    url,
    headers,
    random,
  }: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly random: Random;
  },
): Promise<void> {
  const load = startLoad<Posted>({
    random,
    // It has no requests of its own.
    requestsPerSecond: 0,
    next: () => {
      throw new Error('all requests are planned');
    },
    requestOf: ({ body }) => ({ url, headers, body }),
  });
  try {
    await load.sendAll(bodies.map((body) => ({ body: JSON.stringify(body), attempts: [] })));
    await load.stop();
  } finally {
    load.close();
  }
}
