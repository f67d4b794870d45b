import { INBOX_WAIT_SECONDS_MAX } from '@tidings/api-spec/endpoints/devices';
import type { RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import {
  tooManySubscribers,
  toInboxQuestion,
  readInboxRequest,
} from '../../inbox/inbox-request.ts';
import type { MessageText } from '../../inbox/message-texts.ts';
import type { SdkGuard } from '../../sdk/sdk-guard.ts';
import { noSuchDevice } from '../../sdk/no-such-device.ts';

const WAIT_MS = INBOX_WAIT_SECONDS_MAX * 1_000;

/**
 * `GET /sdk/v1/messages?deviceId&channel&limit`: long poll. Responds as soon as a message is
 * available, or after 25 s with none. Returned messages are leased to the device for 30 s; it must
 * confirm them within that time.
 */
export function handleMessages(
  deps: Pick<ClientApiDependencies, 'db' | 'clock' | 'inboxSubscriptions'>,
  entrance: SdkGuard,
): RequestHandler[] {
  const wait: RequestHandler = async (req, res, next) => {
    const asking = await readInboxRequest({ ...deps, ...entrance }, req, res);
    const endsAt = deps.clock.monotonicMs() + parseWaitMs(req.query['wait']);
    const answer = (messages: readonly MessageText[]): boolean => {
      place?.unsubscribe();
      if (res.closed || res.headersSent) return false;
      res.setHeader('Cache-Control', 'no-store');
      res
        .type('application/json')
        .send(`{"messages":[${messages.map(({ json }) => json).join()}]}`);
      return true;
    };
    const place = deps.inboxSubscriptions.subscribe({
      question: toInboxQuestion(asking),
      userId: asking.device.userId,
      deliver: answer,
      tick: (nowMs) => void (nowMs >= endsAt && answer([])),
      end: (why) => void (why === 'no_such_device' ? next(noSuchDevice()) : answer([])),
    });
    if (place === null) throw tooManySubscribers();
    res.on('close', () => place.unsubscribe());
  };
  return [entrance.authorize, wait];
}

/** The `wait` parameter in ms, at most 25 s. */
function parseWaitMs(wait: unknown): number {
  const seconds = typeof wait === 'string' && /^\d{1,2}$/.test(wait) ? Number(wait) : Infinity;
  return Math.min(WAIT_MS, seconds * 1_000);
}
