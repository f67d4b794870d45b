import { answerOf, call, request, type Access, type Answer } from '../../shared/api.ts';
import { backoffMs, pause } from '../../shared/backoff.ts';
import { startDeadline } from '../../shared/deadline.ts';
import { field, parseJson } from '../../shared/json.ts';
import { createEventParser } from './server-events.ts';

export type ListenOptions = {
  readonly access: Access;
  readonly deviceId: string;
  readonly signal: AbortSignal;
  /** Resolves when a message can be shown: before that none is asked for. */
  readonly free: () => Promise<unknown> | undefined;
  /** Something the service offers. */
  readonly onMessage: (message: unknown) => void;
  /** The service does not know this device. */
  readonly onUnknownDevice: () => void;
  readonly onProblem: (code: string) => void;
};

/** The service says something at least every 15 s; a stream that is silent for longer is held up by a proxy, or gone. */
const SILENCE_MS = 40_000;
const POLL_TIMEOUT_MS = 60_000;
const REFUSED_MS = 300_000;
/** So often a stream may end without a word before it is given up for polling. */
const MUTE_STREAMS_MAX = 2;

/** One at a time: a second one would outlive its lease while the first is on the screen. */
const messagesPath = (path: string, deviceId: string): string =>
  `/sdk/v1/messages${path}?limit=1&deviceId=${deviceId}`;

/** Takes what the service offers, one by one, until `signal` ends it. */
export async function listen(options: ListenOptions): Promise<void> {
  const { signal, free, onUnknownDevice, onProblem } = options;
  let failures = 0;
  let muteStreams = 0;
  for (;;) {
    await free();
    if (signal.aborted) return;
    const isStream = muteStreams < MUTE_STREAMS_MAX;
    const { answer, hasSpoken } = await (isStream ? readStream : poll)(options);
    if (signal.aborted) return;
    if (isStream) muteStreams = hasSpoken || !navigator.onLine ? 0 : muteStreams + 1;
    failures = hasSpoken ? 0 : failures + 1;
    let waitMs = answer.status === 'later' ? answer.afterMs : 0;
    if (answer.status === 'refused') {
      onProblem(answer.code);
      if (answer.httpStatus === 404) onUnknownDevice();
      else waitMs = REFUSED_MS;
    }
    // A poll that was answered is followed by the next at once: the service holds it while there is nothing.
    if (isStream || !hasSpoken) await pause(waitMs || backoffMs(failures), signal);
  }
}

type Heard = { readonly answer: Answer; readonly hasSpoken: boolean };

async function poll({ access, deviceId, signal, onMessage }: ListenOptions): Promise<Heard> {
  const answer = await call(access, messagesPath('', deviceId), {
    method: 'GET',
    signal,
    timeoutMs: POLL_TIMEOUT_MS,
  });
  if (answer.status === 'ok' && !signal.aborted) messagesOf(answer.body).forEach(onMessage);
  return { answer, hasSpoken: answer.status === 'ok' };
}

async function readStream({ access, deviceId, signal, onMessage }: ListenOptions): Promise<Heard> {
  const silence = startDeadline(SILENCE_MS, signal);
  let hasSpoken = false;
  try {
    const response = await request(access, messagesPath('/stream', deviceId), {
      method: 'GET',
      signal: silence.signal,
    });
    if (!response.ok || response.body === null)
      return { answer: await answerOf(response), hasSpoken };
    const parse = createEventParser((data) => messagesOf(parseJson(data)).forEach(onMessage));
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (
      let piece = await reader.read();
      !piece.done && !signal.aborted;
      piece = await reader.read()
    ) {
      hasSpoken = true;
      silence.renew();
      parse(decoder.decode(piece.value, { stream: true }));
    }
  } catch {
    // The network, silence, or the end of our turn: whoever listens tries again.
  } finally {
    silence.end();
  }
  return { answer: { status: 'later', afterMs: 0 }, hasSpoken };
}

/** One message, or a list of them. */
function messagesOf(body: unknown): readonly unknown[] {
  const list = field(body, 'messages');
  return Array.isArray(list) ? list : [body];
}
