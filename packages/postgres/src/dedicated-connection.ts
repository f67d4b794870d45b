import { Client } from 'pg';

/**
 * Postgres probes the peer after 10 s without traffic, three times in 9 s, and waits as long for
 * the acknowledgement of what it sent. So it ends the session of a lost machine after 20 s.
 */
const SETTINGS = `set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 3;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = '20s';
  set idle_session_timeout = 0`;
/** Node probes ten times more, a second apart: the process notices a lost Postgres as soon. */
const KEEP_ALIVE_DELAY_MS = 10_000;
const TIMEOUT_MS = 5_000;

/**
 * Opens a connection for what belongs to a session, such as its locks; a pool ends and replaces its
 * connections. Each side notices within 20 s that the other is gone. The client emits `end` then,
 * and no error.
 */
export async function connectDedicated({
  databaseUrl,
  applicationName,
}: {
  readonly databaseUrl: string;
  readonly applicationName: string;
}): Promise<Client> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: applicationName,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(SETTINGS);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}
