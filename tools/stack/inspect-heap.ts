import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { eventually } from '@tidings/testing';

/**
 * Enables the inspector at start, so that a test can force garbage collection without a hook in the
 * code.
 */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/** Lets the inspector be opened later. */
export const INSPECTABLE = '--inspect-port=127.0.0.1:0';

const LISTENING = /Debugger listening on (ws:\/\/\S+)/g;
const ANSWER_TIMEOUT_MS = 30_000;

/** Opens the inspector of a process started with `INSPECTABLE`. */
export async function openInspector({
  pid,
  logFile,
}: {
  readonly pid: number;
  readonly logFile: string;
}): Promise<void> {
  const opened = (): number => [...readFileSync(logFile, 'utf8').matchAll(LISTENING)].length;
  const before = opened();
  process.kill(pid, 'SIGUSR1');
  await eventually(() => {
    if (opened() === before) throw new Error(`${logFile} does not say that its inspector listens`);
  });
}

/**
 * Reachable bytes on the heap of a service, after a garbage collection.
 * @throws if the inspector cannot be reached
 */
export async function liveHeapBytes(logFile: string): Promise<number> {
  // The last match: a restarted service has a new address.
  const address = [...readFileSync(logFile, 'utf8').matchAll(LISTENING)].at(-1)?.[1];
  if (address === undefined) throw new Error(`${logFile} does not say where its inspector listens`);
  const socket = new WebSocket(address);
  try {
    await answered(`the inspector at ${address}`, (signal) => once(socket, 'open', { signal }));
    await ask(socket, { id: 1, method: 'HeapProfiler.collectGarbage' });
    const { usedSize } = (await ask(socket, { id: 2, method: 'Runtime.getHeapUsage' })) as {
      readonly usedSize: number;
    };
    return usedSize;
  } finally {
    socket.close();
  }
}

type Question = { readonly id: number; readonly method: string };

/** One request at a time, so the next message with its id is the response. */
function ask(socket: WebSocket, question: Question): Promise<unknown> {
  return answered(question.method, async (signal) => {
    socket.send(JSON.stringify(question));
    for (;;) {
      const [message] = (await once(socket, 'message', { signal })) as [MessageEvent];
      const answer = JSON.parse(String(message.data)) as {
        readonly id?: number;
        readonly result?: unknown;
        readonly error?: { readonly message: string };
      };
      if (answer.id !== question.id) continue;
      if (answer.error !== undefined)
        throw new Error(`${question.method}: ${answer.error.message}`);
      return answer.result;
    }
  });
}

/** @throws if `work` is not done in time */
async function answered<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error(`${what} did not answer within ${ANSWER_TIMEOUT_MS / 1_000} s`, {
      cause: error,
    });
  }
}
