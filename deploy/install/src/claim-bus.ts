import { OtherBusError } from '@tidings/bus';
import { chooseBus } from '@tidings/partitioned-log/state';
import { connectDatabase } from '@tidings/postgres/database';

/**
 * Records at the first prepare step which bus the installation uses.
 * @throws OtherBusError if it uses another one
 */
export async function claimBus({
  databaseUrl,
  bus,
}: {
  readonly databaseUrl: string;
  readonly bus: string;
}): Promise<void> {
  const own = bus === 'postgres' ? 'postgres' : 'kafka';
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'prepare' });
  try {
    const used = await chooseBus(db.sql, own);
    if (used !== own) throw new OtherBusError(own, used);
  } finally {
    await db.close();
  }
}
