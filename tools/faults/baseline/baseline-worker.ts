import { connectDatabase, type Database } from '@tidings/postgres/database';
import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';

/** Task of a baseline worker. */
export type BaselineTask = {
  readonly channel: 'EMAIL' | 'SMS';
  readonly databaseUrl: string;
  readonly smtpPort: number;
  readonly twilioUrl: string;
  readonly callbackUrl: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly timeoutMs: number;
};

type Row = { readonly id: string; readonly campaign: string; readonly address: string };

const IDLE_MS = 100;
const ACCOUNT = `AC${'0'.repeat(32)}`;

/**
 * A common worker design, for comparison: leases rows, sends them, and marks them as sent. Rows not
 * marked before their lease ends are sent again. Nothing is recorded before a send, and no fence
 * separates one lease from the next.
 */
async function work(task: BaselineTask): Promise<never> {
  const db = connectDatabase({
    databaseUrl: task.databaseUrl,
    poolMax: 4,
    applicationName: 'baseline',
  });
  const send = task.channel === 'EMAIL' ? mailer(task) : texter(task);
  for (;;) {
    const rows = await claim(db, task).catch(() => []);
    if (rows.length === 0) await delay(IDLE_MS);
    await Promise.all(rows.map((row) => sendAndMark(db, { row, send })));
  }
}

async function claim(
  db: Database,
  { channel, concurrency, leaseMs }: BaselineTask,
): Promise<readonly Row[]> {
  const { rows } = await db.sql.query<Row>(
    `update baseline_deliveries set lease_until = now() + $3::float8 * interval '1 ms'
     where id in (select id from baseline_deliveries where channel = $1 and not is_sent and (lease_until is null or lease_until < now()) limit $2 for update skip locked)
     returning id, campaign, address`,
    [channel, concurrency, leaseMs],
  );
  return rows;
}

/** A failed send is due again when its lease ends. */
async function sendAndMark(
  db: Database,
  { row, send }: { readonly row: Row; send(row: Row): Promise<void> },
): Promise<void> {
  try {
    await send(row);
    await db.sql.query('update baseline_deliveries set is_sent = true where id = $1', [row.id]);
    process.send?.('sent');
  } catch {
    // The row is due again when its lease ends.
  }
}

function mailer({ smtpPort, concurrency, timeoutMs }: BaselineTask): (row: Row) => Promise<void> {
  const pool = createTransport({
    pool: true,
    host: '127.0.0.1',
    port: smtpPort,
    secure: false,
    ignoreTLS: true,
    maxConnections: concurrency,
    connectionTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  return async ({ id, campaign, address }) => {
    await pool.sendMail({
      from: 'hello@baseline.example',
      to: address,
      subject: campaign,
      text: campaign,
      headers: { 'X-Tidings-Campaign': campaign, 'X-Tidings-Delivery': id },
    });
  };
}

function texter({ twilioUrl, callbackUrl, timeoutMs }: BaselineTask): (row: Row) => Promise<void> {
  const Authorization = `Basic ${Buffer.from(`${ACCOUNT}:token`).toString('base64')}`;
  return async ({ id, campaign, address }) => {
    const body = new URLSearchParams({
      To: address,
      From: '+15005550006',
      Body: campaign,
      StatusCallback: `${callbackUrl}?d=${id}&c=${campaign}`,
    });
    const answer = await fetch(`${twilioUrl}/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, {
      method: 'POST',
      headers: { Authorization },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
  };
}

process.once('message', (task: BaselineTask) => void work(task));
process.on('disconnect', () => process.exit(0));
