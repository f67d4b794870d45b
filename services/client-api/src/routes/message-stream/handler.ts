import { releaseLeases } from '@tidings/delivery/inbox';
import { isUuid } from '@tidings/platform';
import type { Request, RequestHandler, Response } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import {
  tooManySubscribers,
  toInboxQuestion,
  readInboxRequest,
} from '../../inbox/inbox-request.ts';
import type { MessageText } from '../../inbox/message-texts.ts';
import type { SdkGuard } from '../../sdk/sdk-guard.ts';

/** Silence longer than this lets proxies close the connection. */
const HEARTBEAT_MS = 15_000;
/**
 * Maximum stream duration. The device then reconnects and is authorized again: its key may be
 * revoked by then.
 */
const STREAM_MS = 10 * 60_000;
/** Spreads the ends of streams that began together. */
const STREAM_SPREAD = 0.2;
const RECONNECT_MS = 1_000;
/** Unread bytes after which the connection is closed. */
const UNREAD_BYTES_MAX = 512 * 1024;

/**
 * `GET /sdk/v1/messages/stream?deviceId&channel&limit`: server-sent events, one per message, as
 * soon as it is available. An event id is the stream id and a number. After a reconnect with
 * `Last-Event-ID`, messages that the broken connection lost are sent at once. With a limit the
 * stream ends after the first messages: a device that shows one at a time must not lease others
 * meanwhile.
 */
export function handleMessageStream(
  deps: Pick<ClientApiDependencies, 'db' | 'clock' | 'inboxSubscriptions'>,
  entrance: SdkGuard,
): RequestHandler[] {
  const open: RequestHandler = async (req, res) => {
    const asking = await readInboxRequest({ ...deps, ...entrance }, req, res);
    const { device, limit } = asking;
    const last = readLastEvent(req);
    if (last !== null)
      await releaseLeases(deps.db, { deviceId: device.deviceId, ...last }, device.userId);

    const question = toInboxQuestion(asking);
    const openedAt = deps.clock.monotonicMs();
    const endsAt = openedAt + STREAM_MS * (1 - STREAM_SPREAD * Math.random());
    let writtenAt = openedAt;
    const write = (text: string): boolean => {
      if (res.closed || res.writableEnded) return false;
      if (res.writableLength > UNREAD_BYTES_MAX) {
        res.destroy();
        return false;
      }
      res.write(text);
      writtenAt = deps.clock.monotonicMs();
      return true;
    };
    const end = (): void => {
      place?.unsubscribe();
      res.end();
    };
    const place = deps.inboxSubscriptions.subscribe({
      question,
      userId: device.userId,
      deliver(messages) {
        const isTaken = write(
          messages.map((message) => formatEvent(question.stream, message)).join(''),
        );
        if (isTaken && limit !== null) end();
        return isTaken;
      },
      tick(nowMs) {
        if (nowMs >= endsAt) end();
        else if (nowMs - writtenAt >= HEARTBEAT_MS) write(': still here\n\n');
      },
      end: () => void res.end(),
    });
    if (place === null) throw tooManySubscribers();
    // The caller may have disconnected during the lookups above.
    if (res.closed) return place.unsubscribe();
    res.on('close', () => place.unsubscribe());
    begin(res);
  };
  return [entrance.authorize, open];
}

function begin(res: Response): void {
  // X-Accel-Buffering: proxies must not buffer the stream.
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  res.write(`retry: ${RECONNECT_MS}\n\n`);
}

/** JSON contains no line breaks, so a message is one data line. */
const formatEvent = (stream: string, { json, lease }: MessageText): string =>
  `id: ${stream}.${lease.leaseNo}\nevent: message\ndata: ${json}\n\n`;

/** Parses Last-Event-ID into stream id and message number. Null if it is not one of ours. */
function readLastEvent(req: Request): { readonly stream: string; readonly afterNo: number } | null {
  const [stream = '', no = ''] = String(req.headers['last-event-id'] ?? '').split('.');
  return isUuid(stream) && /^\d{1,15}$/.test(no) ? { stream, afterNo: Number(no) } : null;
}
