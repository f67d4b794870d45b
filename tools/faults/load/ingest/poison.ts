import { ingestRecordHeaders } from '@tidings/contracts/ingest/records';
import { TOPICS } from '@tidings/contracts/topics';
import type { Bus } from '@tidings/bus';
import { systemIds } from '@tidings/platform';
import { pick, type Random } from '../random.ts';

/**
 * A record that cannot be stored: its position on the topic, and the consumers that must move it to
 * the dead letters.
 */
export type Poison = {
  readonly partition: number;
  readonly offset: bigint;
  readonly value: Buffer;
  readonly consumers: readonly ('users' | 'events')[];
};

type Recipe = {
  readonly kinds: readonly ('action' | 'user')[] | null;
  readonly consumers: Poison['consumers'];
  body(id: string): string;
};

const NUL = '\\u0000';

/**
 * Records that no gateway would produce. The first three cannot be parsed; Postgres rejects the
 * content of the others.
 */
const RECIPES: readonly Recipe[] = [
  { kinds: ['action'], consumers: ['events'], body: () => '{"messages":[{"type":' },
  { kinds: null, consumers: ['users', 'events'], body: () => 'no record of a gateway' },
  {
    kinds: ['user', 'action'],
    consumers: ['users', 'events'],
    body: (id) =>
      `{"customUserId":"poison","messages":[{"type":"user","id":"${id}","time":"noon"}]}`,
  },
  {
    kinds: ['action'],
    consumers: ['events'],
    body: (id) =>
      `{"customUserId":"poison","messages":[{"type":"action","id":"${id}","time":1,"customName":"viewed","attributes":{"a":"${NUL}"}}]}`,
  },
  {
    kinds: ['user'],
    consumers: ['users'],
    body: (id) =>
      `{"customUserId":"poison","messages":[{"type":"user","id":"${id}","time":1,"firstName":"${NUL}"}]}`,
  },
];

/** Produces one to the topic, bypassing the gateways, in the name of an application. */
export async function producePoison(
  bus: Bus,
  { random, applicationId }: { readonly random: Random; readonly applicationId: string },
): Promise<Poison> {
  const { kinds, consumers, body } = pick(random, RECIPES);
  const requestId = systemIds.uuid();
  const value = Buffer.from(body(`poison-${requestId}`));
  const headers =
    kinds === null
      ? {}
      : ingestRecordHeaders({
          applicationId,
          requestId,
          receivedAt: Date.now(),
          keyType: 'server',
          kinds,
        });
  const producer = await bus.producer();
  const [position] = await producer.produce(TOPICS.ingest, [
    { key: `poison-${Math.floor(random() * 100)}`, value, headers },
  ]);
  if (position === undefined) throw new Error('the poison has no position');
  return { ...position, value, consumers };
}
