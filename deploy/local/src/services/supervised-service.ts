import { get } from 'node:http';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keepCurrent } from '../keep-current.ts';
import { keepRunning } from '../keep-running.ts';
import {
  startProcess,
  readLastLines,
  type ManagedProcess,
  type ProcessSpec,
} from '../stack/managed-process.ts';
import { watchSources } from './watch-sources.ts';

export type SupervisedOptions = {
  readonly process: ProcessSpec;
  readonly healthUrl: string;
  /** Maximum restart back-off; the default when absent. */
  readonly restartCapMs?: number | undefined;
  /** Folders of sources: it restarts when one of them changes, and only then. */
  readonly watchedFolders?: readonly string[] | undefined;
  /** Aborts the first start. */
  readonly signal?: AbortSignal | undefined;
  /** Called with a message for the console when it exits and when it is back. */
  readonly onLine: (line: string) => void;
  /** Called after each restart, when the process id has changed. */
  readonly onRestart: () => void;
};

/** A service process that is restarted whenever it exits. */
export interface SupervisedService {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the service is ready: at once, or after its restart. */
  ready(): Promise<void>;
  /** Drains and stops it. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const READY_POLL_MS = 100;
const ANSWER_WITHIN_MS = 2_000;
/** Longer than a service's own drain deadline. */
const STOP_WITHIN_MS = 30_000;

/**
 * Starts a service and resolves when it is ready. If it exits before it was ever ready it is not
 * restarted, because its configuration is wrong.
 * @throws with the end of its log
 */
export async function superviseService(options: SupervisedOptions): Promise<SupervisedService> {
  const { name, cwd, logFile } = options.process;
  const stopping = new AbortController();
  let current = await startFirst(options);
  const { watchedFolders, onLine } = options;
  const sources = watchedFolders && watchSources(watchedFolders);
  const kept = { name, ended: () => current.ended, start, onLine };
  const restarting =
    sources === undefined
      ? keepRunning({
          ...kept,
          stopping: stopping.signal,
          ...(options.restartCapMs !== undefined && { restartCapMs: options.restartCapMs }),
        })
      : keepCurrent({
          ...kept,
          end: async () => void (await current.stop(STOP_WITHIN_MS)),
          changed: async () => {
            const file = await sources.next();
            return file && relative(cwd, file);
          },
          logFile: relative(cwd, logFile),
        });

  async function start(): Promise<void> {
    current = await startProcess(options.process);
    options.onRestart();
    becomeReady(options.healthUrl, current).then(
      () => options.onLine(`${name} is ready again`),
      () => undefined, // It exited again; the next iteration reports it.
    );
    if (stopping.signal.aborted) await current.stop(STOP_WITHIN_MS);
  }

  return {
    get pid() {
      return current.pid;
    },
    kill: (signal) => current.kill(signal),
    ready: async () => {
      const deadline = Date.now() + READY_WITHIN_MS;
      while (current.hasEnded() || !(await isReady(options.healthUrl))) {
        if (Date.now() > deadline)
          throw new Error(`${name} was not ready again in ${READY_WITHIN_MS / 1000} s`);
        await delay(READY_POLL_MS);
      }
    },
    stop: async () => {
      stopping.abort();
      sources?.close();
      if ((await current.stop(STOP_WITHIN_MS)) === 'killed')
        options.onLine(
          `${name} did not stop within ${STOP_WITHIN_MS / 1000} s and was killed; see the end of ${logFile}`,
        );
      await restarting;
    },
  };
}

async function startFirst({
  process,
  healthUrl,
  signal,
}: SupervisedOptions): Promise<ManagedProcess> {
  const { name, logFile } = process;
  const child = await startProcess(process);
  try {
    await becomeReady(healthUrl, child, signal);
  } catch (error) {
    await child.stop(STOP_WITHIN_MS);
    throw new Error(`${name} did not start; the end of ${logFile}:\n${readLastLines(logFile)}`, {
      cause: error,
    });
  }
  return child;
}

async function becomeReady(
  healthUrl: string,
  child: ManagedProcess,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReady(healthUrl))) {
    signal?.throwIfAborted();
    if (child.hasEnded()) throw new Error(await child.ended);
    if (Date.now() > deadline) throw new Error(`not ready in ${READY_WITHIN_MS / 1000} s`);
    await delay(READY_POLL_MS);
  }
}

/** By `node:http`: the first `fetch` of a process loads several MiB that it keeps. */
function isReady(healthUrl: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(
      `${healthUrl}/readyz`,
      { agent: false, timeout: ANSWER_WITHIN_MS },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    asked.once('timeout', () => asked.destroy());
    // Not listening yet.
    asked.once('error', () => resolve(false));
  });
}
