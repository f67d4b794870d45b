import { connect, type Socket } from 'node:net';
import { answerParent } from '../../child/answer-parent.ts';

export type StreamsPlan = {
  readonly host: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly deviceIds: readonly string[];
  readonly atATime: number;
};
export type HolderRequest =
  | { readonly ask: 'open'; readonly plan: StreamsPlan }
  | { readonly ask: 'held' };
/** Number of open streams, and the arrival time (Date.now()) of messages by their mark. */
export type Held = { readonly open: number; readonly arrivals: Readonly<Record<string, number>> };

const OPENED_WITHIN_MS = 60_000;
/** A mark in the message body; only its arrival is measured. */
const MARK = /"body": ?"at\/([\d-]+)"/g;

const ANSWERED = 'HTTP/1.1 200';
/** First field of every stream. */
const BEGUN = 'retry:';
const ANSWER_CHARS_TOLD = 500;

const open = new Set<Socket>();
const arrivals: Record<string, number> = {};

/** Many idle browsers on raw sockets, in their own process beside the measured one. */
answerParent<HolderRequest, Held>(async (request) => {
  if (request.ask === 'open') await openAll(request.plan);
  return { open: open.size, arrivals };
});

async function openAll(plan: StreamsPlan): Promise<void> {
  const waiting = [...plan.deviceIds];
  const work = async (): Promise<void> => {
    for (let deviceId = waiting.pop(); deviceId !== undefined; deviceId = waiting.pop())
      await openOne(plan, deviceId);
  };
  await Promise.all(Array.from({ length: plan.atATime }, work));
}

/** Resolves when the response has begun. */
function openOne({ host, port, headers }: StreamsPlan, deviceId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const giveUp = setTimeout(
      () => socket.destroy(new Error(`a stream was not opened in ${OPENED_WITHIN_MS / 1000} s`)),
      OPENED_WITHIN_MS,
    );
    const lines = [
      `GET /sdk/v1/messages/stream?deviceId=${encodeURIComponent(deviceId)} HTTP/1.1`,
      `Host: ${host}:${port}`,
      'Accept: text/event-stream',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.setEncoding('latin1');
    let isOpen = false;
    let text = '';
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (!isOpen && text.length >= ANSWERED.length && !text.startsWith(ANSWERED))
        socket.destroy(new Error(`a stream got the response ${text.slice(0, ANSWER_CHARS_TOLD)}`));
      else if (!isOpen && text.includes(BEGUN)) {
        isOpen = true;
        clearTimeout(giveUp);
        open.add(socket);
        resolve();
      }
      for (const [, mark = ''] of text.matchAll(MARK)) arrivals[mark] ??= Date.now();
      // An event ends with an empty line; discard complete events.
      text = text.slice(text.lastIndexOf('\n\n') + 1);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(giveUp);
      open.delete(socket);
      reject(new Error(`a stream was closed: ${text.slice(0, ANSWER_CHARS_TOLD)}`));
    });
  });
}
