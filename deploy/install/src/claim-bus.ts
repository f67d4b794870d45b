import { OtherBusError } from '@tidings/bus';
import { chooseBus, readBusState, type BusKind } from '@tidings/partitioned-log/state';
import { connectDatabase, isUndefinedTable, type Sql } from '@tidings/postgres/database';

type Own = { readonly databaseUrl: string; readonly bus: string };

/**
 * Checks, before anything is changed, that the installation does not use the other bus.
 * @throws OtherBusError
 */
export async function checkBus(own: Own): Promise<void> {
  await compare(own, async (sql) => {
    try {
      return (await readBusState(sql)).bus;
    } catch (error) {
      if (isUndefinedTable(error)) return null;
      throw error;
    }
  });
}

/**
 * Records at the first prepare step which bus the installation uses.
 * @throws OtherBusError if it uses another one
 */
export async function claimBus(own: Own): Promise<void> {
  await compare(own, chooseBus);
}

async function compare(
  { databaseUrl, bus }: Own,
  read: (sql: Sql, own: BusKind) => Promise<BusKind | null>,
): Promise<void> {
  const own = bus === 'postgres' ? 'postgres' : 'kafka';
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'prepare' });
  try {
    const used = (await read(db.sql, own)) ?? own;
    if (used !== own) throw new OtherBusError(own, used);
  } finally {
    await db.close();
  }
}
