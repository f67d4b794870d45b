import { connectDatabase, type Database } from '@tidings/postgres/database';
import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';

/** Task of a naive engine. */
export type NaiveTask = {
  readonly databaseUrl: string;
  readonly smtpPort: number;
  readonly concurrency: number;
};

type Timer = { readonly id: string; readonly campaign: string; readonly address: string };

const IDLE_MS = 100;
const DUE_AT_ONCE = 100;

/**
 * The usual way of timers, for comparison: due rows are read, their messages are sent, and then they
 * are marked. What happens between the second and the third is repeated after a kill.
 */
async function work({ databaseUrl, smtpPort, concurrency }: NaiveTask): Promise<never> {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'naive-engine' });
  const pool = createTransport({
    pool: true,
    host: '127.0.0.1',
    port: smtpPort,
    secure: false,
    ignoreTLS: true,
    maxConnections: concurrency,
  });
  for (;;) {
    const due = await readDue(db).catch(() => []);
    if (due.length === 0) await delay(IDLE_MS);
    const sent = await Promise.all(
      due.map(async ({ id, campaign, address }) => {
        const isSent = await pool
          .sendMail({
            from: 'hello@baseline.example',
            to: address,
            subject: campaign,
            text: campaign,
            headers: { 'X-Tidings-Campaign': campaign, 'X-Tidings-Delivery': id },
          })
          .then(
            () => true,
            () => false,
          );
        if (isSent) process.send?.('sent');
        return isSent ? [id] : [];
      }),
    );
    await db.sql
      .query('update naive_timers set is_done = true where id = any($1)', [sent.flat()])
      .catch(() => undefined);
  }
}

async function readDue(db: Database): Promise<readonly Timer[]> {
  const { rows } = await db.sql.query<Timer>(
    `select id, campaign, address from naive_timers where not is_done and due_at <= now() order by due_at limit $1`,
    [DUE_AT_ONCE],
  );
  return rows;
}

process.once('message', (task: NaiveTask) => void work(task));
process.on('disconnect', () => process.exit(0));
