import type { ChunkRef } from '@tidings/contracts/ingest/records';
import { localTimeMs } from '@tidings/contracts/push/push-schedule';
import { isTimeZone } from '@tidings/contracts/time-zones';
import { localInstantMs } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

type LocalDelivery = {
  readonly id: string;
  readonly campaign_id: string;
  readonly chunk_no: number;
  readonly send_at_local: string | null;
  readonly time_zone: string | null;
  readonly application_zone: string | null;
};

/**
 * Makes pending deliveries of campaigns with a local time due when it comes in the time zone of
 * their recipient. Those whose time has passed stay due, and are counted at their chunk. The caller
 * has locked the chunks. Returns those with a delivery that is due, by key.
 * @param only the deliveries to look at, whose chunks are due anyway; absent: all of the chunks
 * @callers delivery
 */
export async function holdUntilLocalTime(
  sql: Sql,
  chunks: readonly ChunkRef[],
  only?: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<LocalDelivery>(statement('read-local-deliveries'), [
    chunks.map(({ campaignId }) => campaignId),
    chunks.map(({ chunkNo }) => chunkNo),
  ]);
  const deliveries = rows.filter(({ id }) => only?.has(id) !== false);
  const instantOf = createInstants();
  const { rows: held } = await sql.query<{ id: string }>(statement('hold-until-local-time'), [
    deliveries.map(({ id }) => id),
    deliveries.map(instantOf),
  ]);
  const heldIds = new Set(held.map(({ id }) => id));
  const passed = new Map(chunks.map((chunk) => [chunkKey(chunk), 0]));
  for (const { id, campaign_id: campaignId, chunk_no: chunkNo } of deliveries) {
    const key = chunkKey({ campaignId, chunkNo });
    if (!heldIds.has(id)) passed.set(key, (passed.get(key) ?? 0) + 1);
  }
  await sql.query(statement('schedule-local-chunks'), [
    chunks.map(({ campaignId }) => campaignId),
    chunks.map(({ chunkNo }) => chunkNo),
    chunks.map((chunk) => passed.get(chunkKey(chunk)) ?? 0),
    only === undefined,
  ]);
  return new Set([...passed].filter(([, count]) => count > 0).map(([key]) => key));
}

export const chunkKey = ({ campaignId, chunkNo }: ChunkRef): string => `${campaignId}:${chunkNo}`;

/** The instant of a delivery, in milliseconds. Few zones and times are computed once. */
function createInstants(): (delivery: LocalDelivery) => number {
  const known = new Map<string, number>();
  return ({ send_at_local: time, time_zone: own, application_zone: ofApplication }) => {
    const zone = [own, ofApplication].find((name) => name !== null && isTimeZone(name)) ?? 'UTC';
    const local = time ?? '';
    const key = `${local} ${zone}`;
    const at = known.get(key) ?? localInstantMs(localTimeMs(local) ?? 0, zone);
    known.set(key, at);
    return at;
  };
}
