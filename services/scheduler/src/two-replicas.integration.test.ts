import { afterAll, expect, jest, test } from '@jest/globals';
import { readChannelSettings, writeChannelSettings } from '@tidings/accounts/channel-settings';
import { updateApplication } from '@tidings/people/update-application';
import { createSecretBox, loadConfig, metricsRegistry, systemClock } from '@tidings/platform';
import {
  createOwnDatabase,
  createRecordingLogger,
  createSendingCampaign,
  createTestApplication,
  eventually,
  registerUsers,
} from '@tidings/testing';
import { allJobs } from './all-jobs.ts';
import { schedulerConfig } from './config.ts';
import { runJobs } from './run-jobs.ts';

// A separate database: jobs read rows of all applications.
jest.setTimeout(120_000);
const db = await createOwnDatabase({ poolMax: 20 });
afterAll(() => db.close());

const [BEFORE, NOW] = [
  'the key of yesterday, of thirty-two characters',
  'the key of today, of thirty-two characters',
] as const;
/** More than two steps of each job. */
const OLD_ROWS = 2_500;

const config = loadConfig(schedulerConfig, {
  DATABASE_URL: 'postgres://',
  ENCRYPTION_KEY: NOW,
  ENCRYPTION_KEY_PREVIOUS: BEFORE,
  RETENTION_INTERVAL_MS: '100',
  RECONCILE_INTERVAL_MS: '100',
  REENCRYPT_SECRETS_INTERVAL_MS: '100',
});

/** Expired rows, and one of each kind that is not. */
async function leaveOldRows(applicationId: string): Promise<void> {
  const kinds = [
    `insert into idempotency_keys (application_id, key, body_hash, answer, channel_untested, created_at, campaign_id)
     select $1::uuid, n::text, '', '', false, now() - (case n when 0 then 6 else 8 end) * interval '1 day', uuidv7() from generate_series(0, $2) n`,
    `insert into duplicate_keys (id_key, request_id, message_index, received_at)
     select duplicate_key($1::uuid || ':server:' || n), uuidv7(), 0, now() - (case n when 0 then 29 else 31 end) * interval '1 day' from generate_series(0, $2) n`,
    `insert into marketing_sends (user_id, channel, delivery_id, armed_at)
     select $1::uuid, 'EMAIL', uuidv7(), now() - (case n when 0 then 1 else 24 * 366 end) * interval '1 hour' from generate_series(0, $2) n`,
    `insert into sign_in_failures (key, failures, failed_at, blocked_until)
     select decode(md5($1::uuid::text || n), 'hex'), 1, t.at, t.at
     from generate_series(0, $2) n, lateral (select now() - (case n when 0 then 0 else 366 end) * interval '1 day' as at) t`,
  ];
  for (const kind of kinds) await db.sql.query(kind, [applicationId, OLD_ROWS]);
}

const KINDS = [
  'idempotency_keys',
  'duplicate_keys',
  'marketing_sends',
  'sign_in_failures',
] as const;

async function rowsLeft(): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  for (const table of KINDS) {
    const { rows } = await db.sql.query<{ n: number }>(`select count(*)::int as n from ${table}`);
    left[table] = rows[0]?.n ?? 0;
  }
  return left;
}

/** Past the retention of recipients, but not of reports. */
async function createEndedCampaign(applicationId: string): Promise<string> {
  const { rows } = await db.sql.query<{ id: string }>(
    `select uuidv7(-91 * interval '1 day') as id`,
  );
  const { campaignId } = await createSendingCampaign(db, {
    applicationId,
    campaignId: String(rows[0]?.id),
    createdAt: Date.now() - 91 * 86_400_000,
    count: 3,
  });
  await db.sql.query(
    `update campaigns set status = 'canceled', expires_at = created_at where id = $1`,
    [campaignId],
  );
  return campaignId;
}

/** The values of a metric, by its label. */
async function counted(metric: string): Promise<Record<string, number>> {
  const { values } = (await metricsRegistry.getSingleMetric(metric)?.get()) ?? { values: [] };
  return Object.fromEntries(
    values.map(({ labels, value }) => [String(Object.values(labels)[0] ?? ''), value]),
  );
}

/** Since the start of this process, whose other test files count too. */
async function readCounts() {
  const [keys, retention, campaigns, failures] = await Promise.all([
    counted('tidings_idempotency_keys_deleted_total'),
    counted('tidings_retention_rows_deleted_total'),
    counted('tidings_campaigns_deleted_total'),
    counted('tidings_job_failures_total'),
  ]);
  return {
    idempotencyKeys: keys[''] ?? 0,
    duplicateKeys: retention['duplicate_keys'] ?? 0,
    recipients: campaigns['recipients'] ?? 0,
    failures: allJobs(config).reduce((sum, { name }) => sum + (failures[name] ?? 0), 0),
  };
}

test('two replicas do all due work once between them, and none of their jobs fails', async () => {
  const { applicationId } = await createTestApplication(db);
  await leaveOldRows(applicationId);
  const campaignId = await createEndedCampaign(applicationId);
  await registerUsers(db, applicationId, { ada: { phoneNumber: '030 123456' } });
  await updateApplication(db, applicationId, { settings: { defaultCountry: 'DE' } });
  await writeChannelSettings(db, createSecretBox(BEFORE), {
    applicationId,
    channel: 'EMAIL',
    settings: {},
    secrets: { password: 'hush' },
  });
  const { logger, lines } = createRecordingLogger();
  const stopping = new AbortController();
  const tools = { db, clock: systemClock, logger, signal: stopping.signal };

  const before = await readCounts();

  const replicas = [runJobs(allJobs(config), tools), runJobs(allJobs(config), tools)];

  try {
    await eventually(
      async () => {
        expect(await rowsLeft()).toEqual(Object.fromEntries(KINDS.map((table) => [table, 1])));
        expect(await counted('tidings_secrets_to_reencrypt')).toEqual({ left: 0, unreadable: 0 });
        const { rows } = await db.sql.query<{ phone_e164: string | null }>(
          `select phone_e164 from users where application_id = $1 and custom_user_id = 'ada'`,
          [applicationId],
        );
        expect(rows).toEqual([{ phone_e164: '+4930123456' }]);
        expect(
          (await db.sql.query('select from deliveries where campaign_id = $1', [campaignId]))
            .rowCount,
        ).toBe(0);
      },
      { timeoutMs: 60_000, intervalMs: 100 },
    );
  } finally {
    stopping.abort();
    await Promise.all(replicas);
  }

  const after = await readCounts();
  expect(after).toEqual({
    idempotencyKeys: before.idempotencyKeys + OLD_ROWS,
    duplicateKeys: before.duplicateKeys + OLD_ROWS,
    recipients: before.recipients + 1,
    failures: before.failures,
  });
  const names = allJobs(config).map(({ name }) => name);
  for (const metric of ['failures_total', 'last_success_timestamp_seconds'])
    expect(Object.keys(await counted(`tidings_job_${metric}`))).toEqual(
      expect.arrayContaining(names),
    );
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  const box = createSecretBox(NOW);
  expect(
    (await readChannelSettings(db, box, { applicationId, channel: 'EMAIL' }))?.secrets,
  ).toEqual({ password: 'hush' });
});

test('every job has a unique name, and declares its items per step', () => {
  const jobs = allJobs(config);

  expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length);
  for (const { intervalMs, bound } of jobs) {
    expect(intervalMs).toBeGreaterThanOrEqual(100);
    expect(Number.isSafeInteger(bound.itemsPerStep)).toBe(true);
  }
});

test('without a previous key no secrets are read', () => {
  const without = loadConfig(schedulerConfig, { DATABASE_URL: 'postgres://', ENCRYPTION_KEY: NOW });

  expect(allJobs(without).map(({ name }) => name)).not.toContain('secret-reencryption');
  expect(allJobs(config).map(({ name }) => name)).toContain('secret-reencryption');
});
