import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { BaselineTask } from './baseline-worker.ts';
import type { NaiveTask } from './naive-engine.ts';

/** A baseline worker that is restarted whenever it is killed. */
export type BaselineWorker = {
  /** Messages marked as sent since the start, across restarts. */
  sent(): number;
  kill(): void;
  stop(): void;
};

export function startBaselineWorker(
  task: BaselineTask | NaiveTask,
  program = 'baseline-worker.ts',
): BaselineWorker {
  let sent = 0;
  let isStopping = false;
  let child: ChildProcess;
  const start = (): void => {
    child = fork(join(import.meta.dirname, program), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      detached: true,
    });
    child.on('message', () => (sent += 1));
    child.once('exit', () => {
      if (!isStopping) start();
    });
    child.send(task);
  };
  start();
  return {
    sent: () => sent,
    kill: () => void child.kill('SIGKILL'),
    stop() {
      isStopping = true;
      child.kill('SIGKILL');
    },
  };
}
