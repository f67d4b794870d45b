import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { tasks } from './tasks.ts';

type Tasks = typeof tasks;
type ArgumentOf<Name extends keyof Tasks> = Parameters<Tasks[Name]>[0];
type ResultOf<Name extends keyof Tasks> = Awaited<ReturnType<Tasks[Name]>>;

/** What the start program asks for. */
export type Request = {
  readonly id: number;
  readonly name: keyof Tasks;
  readonly argument: unknown;
};
export type Answer = {
  readonly id: number;
  readonly result?: unknown;
  /** Message of the error that the task threw. */
  readonly error?: string;
};

/**
 * A process for the work of a start that needs the code of the services. It ends with the start: in
 * the start program, which runs as long as the installation, that code would stay in memory.
 */
export interface Helper {
  /** Arguments and results are JSON. @throws with the message of the task's error */
  run<Name extends keyof Tasks>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>>;
  /** Resolves when the process has ended. */
  end(): Promise<void>;
}

/** `signal` kills it in the middle of a task. */
export function startHelper({
  env,
  signal,
}: {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}): Helper {
  const child = fork(join(import.meta.dirname, 'main.ts'), {
    env,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      for (const { reject } of waiting.values()) reject(new Error('the helper of the start ended'));
      resolve();
    });
  });
  child.on('message', (message) => {
    const { id, result, error } = message as Answer;
    const answer = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) answer?.resolve(result);
    else answer?.reject(new Error(error));
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal?.addEventListener('abort', kill, { once: true });
  return {
    run<Name extends keyof Tasks>(name: Name, argument: ArgumentOf<Name>) {
      const answer = Promise.withResolvers<unknown>();
      asked += 1;
      waiting.set(asked, answer);
      const request: Request = { id: asked, name, argument };
      if (child.connected) child.send(request);
      else answer.reject(new Error('the helper of the start has ended'));
      return answer.promise as Promise<ResultOf<Name>>;
    },
    async end() {
      signal?.removeEventListener('abort', kill);
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
