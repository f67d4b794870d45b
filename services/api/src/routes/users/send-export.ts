import { stringifyExactJson } from '@tidings/platform';
import type { UserExport } from '@tidings/user-data/export-user';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toListedDevice } from './listed-device.ts';

/** Streams the export: a user may have more events than fit in memory. */
export async function sendExport(res: Response, parts: UserExport): Promise<void> {
  res
    .status(200)
    .type('application/json')
    .setHeader('Content-Disposition', 'attachment; filename="user.json"');
  try {
    await pipeline(Readable.from(exportText(parts)), res);
  } catch (error) {
    // Ignores a caller that disconnected. Any other failure aborts the response and is logged.
    if (!isPrematureClose(error)) throw error;
  }
}

async function* exportText({
  user: known,
  devices,
  events,
  deliveries,
  automations: { runs, triggers, entries },
}: UserExport): AsyncGenerator<string> {
  const { userId: _, phoneE164: __, ...user } = known;
  const ownDevices = devices.map((device) => ({
    ...toListedDevice(device),
    address: device.address,
  }));
  yield `{"user":${stringifyExactJson(user)},"devices":${stringifyExactJson(ownDevices)},"events":[`;
  yield* listed(events);
  yield '],"deliveries":[';
  yield* listed(deliveries);
  yield '],"automations":{"runs":[';
  yield* listed(runs);
  yield '],"triggers":[';
  yield* listed(triggers);
  yield `],"entries":${stringifyExactJson(entries)}}}`;
}

async function* listed(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '';
  for await (const item of items) {
    yield `${separator}\n${stringifyExactJson(item)}`;
    separator = ',';
  }
}

function isPrematureClose(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_STREAM_PREMATURE_CLOSE'
  );
}
