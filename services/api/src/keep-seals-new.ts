import { createNudge, Gauge, repeat, type Logger, type SecretBox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { renewSeals } from '@tidings/postgres/renew-seals';
import { SEALED_TABLES } from './sealed-tables.ts';

const secretsToRenew = new Gauge({
  name: 'tidings_secrets_to_renew',
  help: 'After a change of the key: secrets that the key before still has to open (left), and those that no key at hand opens (unreadable).',
  labelNames: ['state'] as const,
});

type Tools = {
  readonly db: Database;
  readonly box: SecretBox;
  readonly logger: Logger;
  readonly signal: AbortSignal;
};

/**
 * Again and again, until `signal` aborts, but not at once: while an installation is restarted with another key, some of its
 * processes know only the one before.
 */
export async function keepSealsNew(intervalMs: number, tools: Tools): Promise<void> {
  await createNudge().wait(intervalMs, tools.signal);
  await repeat(intervalMs, () => renewAllSeals(tools), {
    signal: tools.signal,
    onError: (error) =>
      tools.logger.warn({ err: error }, 'secrets could not be sealed anew, trying again'),
  });
}

/** Seals anew what the key before sealed, and says when that key is not needed for any secret more. */
async function renewAllSeals({ db, box, logger, signal }: Tools): Promise<void> {
  const { renewed, left, unreadable } = await renewSeals(db, box, {
    tables: SEALED_TABLES,
    signal,
  });
  secretsToRenew.set({ state: 'left' }, left);
  secretsToRenew.set({ state: 'unreadable' }, unreadable);
  const counts = { renewed, left, unreadable };
  if (unreadable > 0)
    logger.warn(counts, 'secrets that no key opens: they have to be written again');
  if (left > 0 || renewed > 0) logger.info(counts, 'secrets sealed by the key of today');
  if (left === 0) logger.info(counts, 'no secret needs ENCRYPTION_KEY_PREVIOUS any more');
}
