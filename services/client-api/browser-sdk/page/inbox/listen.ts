import { readAnswer, call, request, type Access, type Answer } from '../../shared/api.ts';
import { backoffMs, pause } from '../../shared/backoff.ts';
import { startDeadline } from '../../shared/deadline.ts';
import { field, parseJson } from '../../shared/json.ts';
import { createEventParser } from './server-events.ts';

export type ListenOptions = {
  readonly access: Access;
  readonly deviceId: string;
  readonly signal: AbortSignal;
  /** Resolves when a message can be shown. No message is requested before that. */
  readonly free: () => Promise<unknown> | undefined;
  /** A message from the service. */
  readonly onMessage: (message: unknown) => void;
  /** The service responded 404: unknown device. */
  readonly onUnknown: () => void;
  readonly onProblem: (code: string) => void;
};

/**
 * The service sends a comment at least every 15 s. A stream that is silent for longer is buffered
 * by a proxy or dead.
 */
const SILENCE_MS = 40_000;
const POLL_TIMEOUT_MS = 60_000;
const REFUSED_MS = 300_000;
/** Streams in a row that end without data before the SDK falls back to polling. */
const MUTE_STREAMS_MAX = 2;

/** One message at a time: the lease of a second one would expire while the first is shown. */
const messagesPath = (path: string, deviceId: string): string =>
  `/sdk/v1/messages${path}?limit=1&deviceId=${deviceId}`;

/** Receives messages one by one until `signal` aborts. */
export async function listen(options: ListenOptions): Promise<void> {
  const { signal, free, onUnknown, onProblem } = options;
  let failures = 0;
  let muteStreams = 0;
  for (;;) {
    await free();
    if (signal.aborted) return;
    const isStream = muteStreams < MUTE_STREAMS_MAX;
    const { answer, hasData } = await (isStream ? readStream : poll)(options);
    if (signal.aborted) return;
    if (isStream) muteStreams = hasData || !navigator.onLine ? 0 : muteStreams + 1;
    failures = hasData ? 0 : failures + 1;
    let waitMs = answer.status === 'later' ? answer.afterMs : 0;
    if (answer.status === 'refused') {
      onProblem(answer.code);
      if (answer.httpStatus === 404) onUnknown();
      else waitMs = REFUSED_MS;
    }
    // After a successful poll, polls again at once: the service holds the request until a message
    // is available.
    if (isStream || !hasData) await pause(waitMs || backoffMs(failures), signal);
  }
}

type Heard = { readonly answer: Answer; readonly hasData: boolean };

async function poll({ access, deviceId, signal, onMessage }: ListenOptions): Promise<Heard> {
  const answer = await call(access, messagesPath('', deviceId), {
    method: 'GET',
    signal,
    timeoutMs: POLL_TIMEOUT_MS,
  });
  if (answer.status === 'ok' && !signal.aborted) readMessages(answer.body).forEach(onMessage);
  return { answer, hasData: answer.status === 'ok' };
}

async function readStream({ access, deviceId, signal, onMessage }: ListenOptions): Promise<Heard> {
  const silence = startDeadline(SILENCE_MS, signal);
  let hasData = false;
  try {
    const response = await request(access, messagesPath('/stream', deviceId), {
      method: 'GET',
      signal: silence.signal,
    });
    if (!response.ok || response.body === null)
      return { answer: await readAnswer(response), hasData };
    const parse = createEventParser((data) => readMessages(parseJson(data)).forEach(onMessage));
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (
      let piece = await reader.read();
      !piece.done && !signal.aborted;
      piece = await reader.read()
    ) {
      hasData = true;
      silence.renew();
      parse(decoder.decode(piece.value, { stream: true }));
    }
  } catch {
    // Network error, silence or abort: the caller retries.
  } finally {
    silence.end();
  }
  return { answer: { status: 'later', afterMs: 0 }, hasData };
}

/** One message, or a list of them. */
function readMessages(body: unknown): readonly unknown[] {
  const list = field(body, 'messages');
  return Array.isArray(list) ? list : [body];
}
