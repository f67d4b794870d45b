import { CHANNELS } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { workerName } from '@tidings/contracts/topics';

/** The worker rows of the folder table. */
const WORKER_ROWS = /(?:^\| `services\/worker-[^\n]*\n)+/m;
/** The `workers` part of the chart's schema. */
const WORKERS_SCHEMA = /^ {4}"workers": \{\n[\s\S]*?^ {4}\}/m;

/** docs/architecture.md with one row per channel worker. @throws when the map of folders has no such rows */
export function withWorkerRows(document: string): string {
  const rows = CHANNELS.map(
    (channel) =>
      `| \`services/${workerName(channel)}\` | ${channel}: ${CHANNEL_DESCRIPTORS[channel].labels.purpose} |\n`,
  );
  return replaced(document, WORKER_ROWS, rows.join(''));
}

/**
 * The chart's schema with a worker per channel; workers that send have other values than inbox
 * workers.
 */
export function withWorkersSchema(schema: string): string {
  const slugs = CHANNELS.map((channel) => CHANNEL_DESCRIPTORS[channel].slug);
  const workers = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      CHANNELS.map((channel) => {
        const { slug, isInbox } = CHANNEL_DESCRIPTORS[channel];
        return [slug, { $ref: `#/definitions/${isInbox ? 'worker' : 'sendingWorker'}` }];
      }),
    ),
    required: slugs,
  };
  const text = JSON.stringify(workers, null, 2)
    .replaceAll(/\{\s*("\$ref": "[^"]*")\s*\}/g, '{ $1 }')
    .replace(/\[[^\]]*\]/, `[${slugs.map((slug) => JSON.stringify(slug)).join(', ')}]`);
  return replaced(schema, WORKERS_SCHEMA, `    "workers": ${text.replaceAll('\n', '\n    ')}`);
}

function replaced(text: string, part: RegExp, by: string): string {
  if (!part.test(text)) throw new Error('the text has no part that lists the workers');
  return text.replace(part, () => by);
}
