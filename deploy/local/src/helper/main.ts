import type { Answer, Request } from './helper.ts';

/** Loads while the stores start. */
const loading = import('./tasks.ts');

// Ctrl-C reaches this process too; the start program decides.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (message) => void answer(message as Request));

async function answer({ id, name, argument }: Request): Promise<void> {
  let said: Answer;
  try {
    const { tasks } = await loading;
    const task = tasks[name] as (given: unknown) => Promise<unknown>;
    said = { id, result: await task(argument) };
  } catch (error) {
    said = { id, error: error instanceof Error ? error.message : String(error) };
  }
  process.send?.(said);
}
