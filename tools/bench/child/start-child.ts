import { fork } from 'node:child_process';
import { once } from 'node:events';
import { raisePriority } from '@tidings/local';

/** A child process that handles one request at a time. */
export interface BenchChild<Request, Answer> {
  readonly processId: number;
  /** @throws if the process fails or exits */
  ask(request: Request): Promise<Answer>;
  stop(): void;
}

type Reply<Answer> = { readonly result?: Answer; readonly failure?: string };

/**
 * `isMeasuring`: raises the priority, so that waiting for a core does not distort its measurements.
 * The program must use `answerParent`.
 */
export function startChild<Request extends object, Answer>(
  program: string,
  { isMeasuring = false }: { readonly isMeasuring?: boolean } = {},
): BenchChild<Request, Answer> {
  const child = fork(program, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} has no process id`);
  if (isMeasuring) raisePriority(pid);
  return {
    processId: pid,
    async ask(request) {
      const heard = new AbortController();
      const ended = once(child, 'exit', { signal: heard.signal }).then(() => {
        throw new Error(`${program} ended`);
      });
      const answered = once(child, 'message', { signal: heard.signal });
      child.send(request);
      try {
        const [reply] = (await Promise.race([answered, ended])) as [Reply<Answer>];
        if (reply.failure !== undefined) throw new Error(`${program} failed: ${reply.failure}`);
        return reply.result as Answer;
      } finally {
        ended.catch(() => undefined); // Abandoned, not failed.
        answered.catch(() => undefined);
        heard.abort();
      }
    },
    stop: () => {
      if (child.connected) child.disconnect();
    },
  };
}
