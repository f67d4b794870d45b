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
/** Then the device comes again, and proves again that it may: its key may be another's by then. */
const STREAM_MS = 10 * 60_000;
/** Streams that began together end apart. */
const STREAM_SPREAD = 0.2;
const RECONNECT_MS = 1_000;
/** A device that does not read is not written to for ever. */
const UNREAD_BYTES_MAX = 512 * 1024;

/**
 * `GET /sdk/v1/messages/stream?deviceId&channel&limit`: server-sent events, one for each message, as soon as it waits. The id
 * of an event names its stream and its number there: who comes again with the last one (`Last-Event-ID`) gets at once what the
 * broken connection has swallowed. With a limit the stream ends with the first that come, so many at most: who shows one
 * message after the other has nothing that waits while its lease ends.
 */
export function handleMessageStream(
  deps: Pick<ClientApiDependencies, 'db' | 'clock' | 'inboxSubscriptions'>,
  entrance: SdkGuard,
): RequestHandler[] {
  const open: RequestHandler = async (req, res) => {
    const asking = await readInboxRequest({ ...deps, ...entrance }, req, res);
    const { device, limit } = asking;
    const last = lastEventOf(req);
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
          messages.map((message) => eventOf(question.stream, message)).join(''),
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
    // It may have gone while it was looked up.
    if (res.closed) return place.unsubscribe();
    res.on('close', () => place.unsubscribe());
    begin(res);
  };
  return [entrance.authorize, open];
}

function begin(res: Response): void {
  // Proxies are told not to gather what is to be read at once.
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  res.write(`retry: ${RECONNECT_MS}\n\n`);
}

/** JSON has no line breaks of its own, so a message is one line. */
const eventOf = (stream: string, { json, lease }: MessageText): string =>
  `id: ${stream}.${lease.leaseNo}\nevent: message\ndata: ${json}\n\n`;

/** The stream that broke, and the number of the last message that came by it; null for anything else. */
function lastEventOf(req: Request): { readonly stream: string; readonly afterNo: number } | null {
  const [stream = '', no = ''] = String(req.headers['last-event-id'] ?? '').split('.');
  return isUuid(stream) && /^\d{1,15}$/.test(no) ? { stream, afterNo: Number(no) } : null;
}
