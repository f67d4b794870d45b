import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@tidings/local';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import type { BenchInstallation } from '../../installation/bench-installation.ts';
import { BODY, CONCURRENCY } from '../context.ts';

const DATABASE = 'listmonk';
const INSTALL_WITHIN_MS = 60_000;

export type Listmonk = {
  readonly processId: number;
  /** Starts a campaign to all subscribers. */
  sendCampaign(): Promise<void>;
  stop(): Promise<void>;
};

/** Settings for the highest rate: no limit, and as many connections as a campaign of Tidings. */
const SETTINGS = `
  update settings set value = case key
    when 'app.concurrency' then to_jsonb($1::int)
    when 'app.message_rate' then to_jsonb(1000000)
    when 'app.batch_size' then to_jsonb(5000)
    when 'app.check_updates' then to_jsonb(false)
    when 'smtp' then jsonb_build_array(jsonb_build_object(
      'enabled', true, 'host', '127.0.0.1', 'port', $2::int, 'auth_protocol', 'none',
      'username', '', 'password', '', 'hello_hostname', '', 'max_conns', $1::int,
      'idle_timeout', '15s', 'wait_timeout', '5s', 'max_msg_retries', 2,
      'tls_enabled', false, 'tls_skip_verify', false, 'email_headers', '[]'::jsonb))
    else value end`;
const LIST = `insert into lists (uuid, name, type) values (gen_random_uuid(), 'Bench', 'private') returning id`;
const SUBSCRIBERS = `
  with added as (
    insert into subscribers (uuid, email, name)
    select gen_random_uuid(), 'user-' || lpad(n::text, 8, '0') || '@people.example', 'Ada'
    from generate_series(0, $2::int - 1) as n
    returning id)
  insert into subscriber_lists (subscriber_id, list_id, status) select id, $1, 'confirmed' from added`;
const CAMPAIGN = `
  with added as (
    insert into campaigns (uuid, name, subject, from_email, body, content_type, messenger, template_id, status)
    values (gen_random_uuid(), 'Bench', 'Hello', 'Bench <hello@bench.example>', $2, 'plain', 'email', 1, 'running')
    returning id)
  insert into campaign_lists (campaign_id, list_id, list_name) select id, $1, 'Bench' from added`;

/** listmonk on a database of its own on the installation's Postgres, with the sink as SMTP server. */
export async function startListmonk(
  { tidings, db: server }: BenchInstallation,
  {
    folder,
    smtpPort,
    subscribers,
  }: { readonly folder: string; readonly smtpPort: number; readonly subscribers: number },
): Promise<Listmonk> {
  const url = new URL(tidings.local.databaseUrl);
  const [port = 0] = await freePorts(1);
  await server.sql.query(`create database ${DATABASE}`);
  // With its statements' generic plans, campaigns after the first cost Postgres many times as much.
  await server.sql.query(`alter database ${DATABASE} set plan_cache_mode = 'force_custom_plan'`);
  const config = join(folder, 'bench.toml');
  writeFileSync(config, configText(url, port), { mode: 0o600 });
  const program = join(folder, 'listmonk');
  execFileSync(program, ['--config', config, '--install', '--yes'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_WITHIN_MS,
  });
  url.pathname = DATABASE;
  const db = connectDatabase({ databaseUrl: url.href, poolMax: 1, applicationName: 'bench' });
  const listId = await prepare(db, { smtpPort, subscribers });
  const child = spawn(program, ['--config', config], { cwd: folder, stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error('listmonk was not started');
  const ended = once(child, 'exit');
  return {
    processId: pid,
    sendCampaign: async () => void (await db.sql.query(CAMPAIGN, [listId, BODY])),
    async stop() {
      if (child.exitCode === null) child.kill('SIGKILL');
      await ended;
      await db.close();
      await server.sql.query(`drop database ${DATABASE} with (force)`);
    },
  };
}

async function prepare(
  db: Database,
  { smtpPort, subscribers }: { readonly smtpPort: number; readonly subscribers: number },
): Promise<number> {
  // The installer's own examples are not sent.
  await db.sql.query(`delete from campaigns`);
  await db.sql.query(SETTINGS, [CONCURRENCY, smtpPort]);
  const { rows } = await db.sql.query<{ id: number }>(LIST);
  const listId = rows[0]?.id ?? NaN;
  await db.sql.query(SUBSCRIBERS, [listId, subscribers]);
  await db.sql.query('analyze');
  return listId;
}

function configText(url: URL, port: number): string {
  return `[app]
address = "127.0.0.1:${port}"
admin_username = "bench"
admin_password = "bench"

[db]
host = "${url.hostname}"
port = ${url.port}
user = "${url.username}"
password = "${url.password}"
database = "${DATABASE}"
ssl_mode = "disable"
max_open = 25
max_idle = 25
max_lifetime = "300s"
`;
}
