import { setTimeout as delay } from 'node:timers/promises';
import { startProcess, tailOf, type ManagedProcess, type ProcessSpec } from './managed-process.ts';

export type ComponentOptions = {
  /** The folder of the installation; see `homeLayout`. */
  readonly home: string;
  readonly port: number;
  /** The environment the tools of the machine run in. */
  readonly env: NodeJS.ProcessEnv;
  /** Gives up the start. */
  readonly signal?: AbortSignal;
};

/** A store or broker that runs as our child. Stopped or killed, it can be started again: same port, same data. */
export interface StackComponent {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /**
   * For tests `env` adds to its environment, until it is started again.
   * @throws when it does not become ready
   */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  /** How the process ended that runs now, once it has. */
  ended(): Promise<string>;
  /** Ends it in order; resolves when the process is gone. */
  stop(): Promise<void>;
  /** For tests: SIGKILL it, or freeze and wake it by SIGSTOP and SIGCONT. */
  kill(signal: NodeJS.Signals): void;
}

export type ComponentSpec = {
  readonly url: string;
  readonly process: Omit<ProcessSpec, 'drainStage'>;
  readonly signal?: AbortSignal;
  /** Makes the data on the first start. */
  prepare(): Promise<void>;
  /** Whether it answers a real question. */
  isReady(): Promise<boolean>;
};

/** Services need the stores until their end. */
const DRAIN_STAGE = 10;
const POLL_MS = 50;
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

/** Starts a part by its recipe and resolves when it answers. */
export async function startComponent(recipe: ComponentSpec): Promise<StackComponent> {
  let current: ManagedProcess | undefined;
  const running = (): ManagedProcess => {
    if (current === undefined) throw new Error(`${recipe.process.name} was not started`);
    return current;
  };
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    await recipe.prepare();
    current = await startProcess({
      ...recipe.process,
      env: { ...recipe.process.env, ...env },
      drainStage: DRAIN_STAGE,
    });
    await becomeReady(recipe, current);
  };

  await start();
  return {
    name: recipe.process.name,
    url: recipe.url,
    get pid() {
      return running().pid;
    },
    start: async (env) => {
      // A killed process may still be on its way out.
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
        `${name} ended while starting (${await child.ended}); the end of ${logFile}:\n${tailOf(logFile)}`,
      );
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      await child.ended;
      throw new Error(
        `${name} did not become ready in ${READY_WITHIN_MS / 1000} s; the end of ${logFile}:\n${tailOf(logFile)}`,
      );
    }
    if (recipe.signal?.aborted) {
      await child.stop(STOP_WITHIN_MS);
      recipe.signal.throwIfAborted();
    }
    await delay(POLL_MS);
  }
}
