import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET, PORT = '3001' } = process.env;
if (!WEBHOOK_SECRET) {
  console.error('Set WEBHOOK_SECRET to the secret of the endpoint (whsec_…).');
  process.exit(1);
}

const BODY_BYTES_MAX = 256 * 1024;
/** Repeats come within hours; a real receiver keeps these ids in its database. */
const REMEMBERED_MAX = 10_000;

const webhook = new Webhook(WEBHOOK_SECRET);
/** @type {Set<string>} */
const handled = new Set();

async function readBody(req) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of req) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What your application does about an event. */
function handle(event) {
  console.log(JSON.stringify({ id: event.id, type: event.type, ...event.data }));
}

const server = createServer(async (req, res) => {
  if (req.method !== 'POST' || req.url !== '/hook') return res.writeHead(404).end();
  let event;
  try {
    // Throws for a wrong signature, and for a time more than five minutes off.
    event = webhook.verify(await readBody(req), req.headers);
  } catch {
    return res.writeHead(400).end();
  }
  if (!handled.has(event.id)) {
    handle(event);
    handled.add(event.id);
    if (handled.size > REMEMBERED_MAX) handled.delete(handled.values().next().value);
  }
  return res.writeHead(204).end();
});
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`Webhooks are received at http://127.0.0.1:${server.address().port}/hook`),
);

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
