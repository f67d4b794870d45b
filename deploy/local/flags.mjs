// Flags of `npm start`. Plain JavaScript, so that errors are reported before anything is installed;
// types are in flags.d.mts.

export const USAGE = `npm start [-- flags]: starts Tidings with everything it needs on this machine: one process, and Postgres.

  --kafka      each service in its own process, with Kafka and Redis, as in production; needs Java and Maven. Same as TIDINGS_START=kafka
  --port N     port of the base URL (default 8080; https on 8443)
  --watch NAME restart service NAME when its sources or packages change; same as "npm run dev -- NAME"
  --no-demo    skip the demonstration at the first start; run it later with "npm run demo"
  --reset      stop a running installation and delete all data first
  --help       show this text

To use an existing Postgres, set DATABASE_URL. With --kafka, KAFKA_BROKERS and REDIS_URL name an existing Kafka and Redis, and PUBLIC_DATABASE_URL a separate role for gateway and client-api.`;

/** @throws Error with one sentence that says what is wrong and what to do */
export function parseFlags(args, env = process.env) {
  const flags = {
    hasKafka: readStart(env.TIDINGS_START),
    hasDemo: true,
    isReset: false,
    isHelp: false,
    port: undefined,
    watched: undefined,
  };
  const rest = [...args];
  while (rest.length > 0) {
    const [name, inline] = rest.shift().split('=', 2);
    if (name === '--no-demo') flags.hasDemo = false;
    else if (name === '--kafka') flags.hasKafka = true;
    else if (name === '--reset') flags.isReset = true;
    else if (name === '--help' || name === '-h') flags.isHelp = true;
    else if (name === '--watch') flags.watched = parseService(inline ?? rest.shift());
    else if (name === '--port') flags.port = parsePort(inline ?? rest.shift());
    else
      throw new Error(`${name} is not a flag of npm start; list them with "npm start -- --help".`);
  }
  if (flags.watched !== undefined && !flags.hasKafka)
    throw new Error(
      '--watch restarts a service with its own process: add --kafka, as "npm run dev -- gateway" does.',
    );
  return flags;
}

function readStart(value = '') {
  if (value === '' || value === 'one-process') return false;
  if (value === 'kafka') return true;
  throw new Error('TIDINGS_START is one-process or kafka.');
}

function parseService(name) {
  if (name !== undefined && /^[a-z][a-z-]*$/.test(name)) return name;
  throw new Error('--watch needs the name of a service, as in "npm run dev -- gateway".');
}

function parsePort(text) {
  const port = Number(text);
  if (/^\d+$/.test(text ?? '') && port >= 1 && port <= 65_535) return port;
  throw new Error('--port needs a number from 1 to 65535, as in "npm start -- --port 9000".');
}
