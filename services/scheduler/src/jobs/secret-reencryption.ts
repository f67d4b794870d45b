import {
  createSecretBox,
  encryptionKeysOf,
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
  help: 'After a change of the key: secrets that the key before still has to open (left), and those that no key at hand opens (unreadable).',
  labelNames: ['state'] as const,
});

/** Seals anew what the key before sealed, and says when no secret needs that key any more. */
export function secretReencryption(
  config: Pick<
    SchedulerConfig,
    'encryptionKey' | 'previousEncryptionKey' | 'reencryptSecretsIntervalMs'
  >,
): Job {
  const box = createSecretBox(encryptionKeysOf(config));
  return {
    name: 'secret-reencryption',
    intervalMs: config.reencryptSecretsIntervalMs,
    // While an installation is restarted with another key, some of its processes know only the one before.
    startsLate: true,
    bound: { itemsPerStep: 200, stepsMax: Infinity },
    // It locks nothing: a secret that changed meanwhile stays as it is.
    replicaMode: 'repeats',
    run: (pass) => reencryptAll(pass, box),
  };
}

async function reencryptAll(
  { db, logger, signal, itemsPerStep }: Pass,
  box: SecretBox,
): Promise<void> {
  const { renewed, left, unreadable } = await reencryptSecrets(db, box, {
    tables: ENCRYPTED_TABLES,
    rowsPerStep: itemsPerStep,
    signal,
  });
  secretsToReencrypt.set({ state: 'left' }, left);
  secretsToReencrypt.set({ state: 'unreadable' }, unreadable);
  report({ renewed, left, unreadable }, logger);
}

function report(
  counts: { readonly renewed: number; readonly left: number; readonly unreadable: number },
  logger: Logger,
): void {
  if (counts.unreadable > 0)
    logger.warn(counts, 'secrets that no key opens: they have to be written again');
  if (counts.left > 0 || counts.renewed > 0)
    logger.info(counts, 'secrets sealed by the key of today');
  if (counts.left === 0) logger.info(counts, 'no secret needs ENCRYPTION_KEY_PREVIOUS any more');
}
