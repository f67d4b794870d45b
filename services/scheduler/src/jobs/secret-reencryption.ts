import {
  createSecretBox,
  readEncryptionKeys,
  Gauge,
  type Logger,
  type SecretBox,
} from '@tidings/platform';
import { reencryptSecrets } from '@tidings/postgres/reencrypt-secrets';
import type { SchedulerConfig } from '../config.ts';
import type { Job, Pass } from '../job.ts';
import { ENCRYPTED_TABLES } from '../encrypted-tables.ts';

const secretsToReencrypt = new Gauge({
  name: 'tidings_secrets_to_reencrypt',
  help: 'After a key change: secrets that still need the previous key (left), and those that no configured key decrypts (unreadable).',
  labelNames: ['state'] as const,
});

/** Re-encrypts secrets of the previous key, and logs when none needs that key any more. */
export function secretReencryption(
  config: Pick<
    SchedulerConfig,
    'encryptionKey' | 'previousEncryptionKey' | 'reencryptSecretsIntervalMs'
  >,
): Job {
  const box = createSecretBox(readEncryptionKeys(config));
  return {
    name: 'secret-reencryption',
    intervalMs: config.reencryptSecretsIntervalMs,
    // During a rolling restart with a new key, some processes know only the previous one.
    startsLate: true,
    bound: { itemsPerStep: 200, stepsMax: Infinity },
    // Takes no locks: a secret changed meanwhile stays as it is.
    replicaMode: 'repeat',
    run: (pass) => reencryptAll(pass, box),
  };
}

async function reencryptAll(
  { db, logger, signal, itemsPerStep }: Pass,
  box: SecretBox,
): Promise<void> {
  const { reencrypted, left, unreadable } = await reencryptSecrets(db, box, {
    tables: ENCRYPTED_TABLES,
    rowsPerStep: itemsPerStep,
    signal,
  });
  secretsToReencrypt.set({ state: 'left' }, left);
  secretsToReencrypt.set({ state: 'unreadable' }, unreadable);
  report({ reencrypted, left, unreadable }, logger);
}

function report(
  counts: { readonly reencrypted: number; readonly left: number; readonly unreadable: number },
  logger: Logger,
): void {
  if (counts.unreadable > 0)
    logger.warn(counts, 'secrets that no configured key decrypts: enter them again');
  if (counts.left > 0 || counts.reencrypted > 0)
    logger.info(counts, 'secrets re-encrypted with the current key');
  if (counts.left === 0) logger.info(counts, 'no secret needs ENCRYPTION_KEY_PREVIOUS any more');
}
