import { setTimeout as delay } from 'node:timers/promises';
import {
  startProcess,
  readLastLines,
  type ManagedProcess,
  type ProcessSpec,
} from './managed-process.ts';

export type ComponentOptions = {
  /** The home folder of the installation; see `homeLayout`. */
  readonly home: string;
  readonly port: number;
  /** Environment of the child processes. */
  readonly env: NodeJS.ProcessEnv;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * A store or broker that runs as a child process. After a stop or kill it can be started again with
 * the same port and data.
 */
export interface StackComponent {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** `env` adds variables until the next start (for tests). @throws if it does not become ready */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  /** Resolves with the exit reason of the current process. */
  ended(): Promise<string>;
  /** Stops it gracefully; resolves when the process is gone. */
  stop(): Promise<void>;
  /** For tests: SIGKILL, or freeze and thaw with SIGSTOP and SIGCONT. */
  kill(signal: NodeJS.Signals): void;
}

export type ComponentSpec = {
  readonly url: string;
  readonly process: Omit<ProcessSpec, 'drainStage'>;
  readonly signal?: AbortSignal | undefined;
  /** Creates the data on the first start. */
  prepare(): Promise<void>;
  /** True if it answers a query. */
  isReady(): Promise<boolean>;
  /** Whether the end of its log says that it exited for something that passes by itself. */
  isPassing?(lastLines: string): boolean;
};

/** Services need the stores until they have exited, so the stores stop last. */
const DRAIN_STAGE = 10;
const POLL_MS = 50;
const READY_WITHIN_MS = 60_000;
/** For what passes by itself. */
const PASSES_WITHIN_MS = 20_000;
const START_AGAIN_MS = 250;
const STOP_WITHIN_MS = 20_000;

/** Starts a component and resolves when it answers. */
export async function startComponent(recipe: ComponentSpec): Promise<StackComponent> {
  let current: ManagedProcess | undefined;
  const running = (): ManagedProcess => {
    if (current === undefined) throw new Error(`${recipe.process.name} was not started`);
    return current;
  };
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    const deadline = Date.now() + PASSES_WITHIN_MS;
    for (;;) {
      await recipe.prepare();
      const child = await startProcess({
        ...recipe.process,
        env: { ...recipe.process.env, ...env },
        drainStage: DRAIN_STAGE,
      });
      current = child;
      try {
        return await becomeReady(recipe, child);
      } catch (error) {
        const lastLines = readLastLines(recipe.process.logFile);
        const mayPass = child.hasEnded() && recipe.isPassing?.(lastLines) === true;
        if (!mayPass || Date.now() > deadline || recipe.signal?.aborted === true) throw error;
        await delay(START_AGAIN_MS);
      }
    }
  };

  await start();
  return {
    name: recipe.process.name,
    url: recipe.url,
    get pid() {
      return running().pid;
    },
    start: async (env) => {
      // A killed process may not be gone yet.
      await running().ended;
      await start(env);
    },
    ended: () => running().ended,
    stop: async () => void (await running().stop(STOP_WITHIN_MS)),
    kill: (signal) => running().kill(signal),
  };
}

async function becomeReady(recipe: ComponentSpec, child: ManagedProcess): Promise<void> {
  const { name, logFile } = recipe.process;
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await recipe.isReady())) {
    if (child.hasEnded())
      throw new Error(
        `${name} exited while starting (${await child.ended}); the end of ${logFile}:\n${readLastLines(logFile)}`,
      );
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      await child.ended;
      throw new Error(
        `${name} did not become ready in ${READY_WITHIN_MS / 1000} s; the end of ${logFile}:\n${readLastLines(logFile)}`,
      );
    }
    if (recipe.signal?.aborted) {
      await child.stop(STOP_WITHIN_MS);
      recipe.signal.throwIfAborted();
    }
    await delay(POLL_MS);
  }
}
