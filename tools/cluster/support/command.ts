import { spawn } from 'node:child_process';

/** A command that exited with a non-zero code or was killed. */
export class CommandError extends Error {
  constructor(command: string, args: readonly string[], said: string) {
    super(`${[command, ...args].join(' ').slice(0, 300)} failed: ${said.trim().slice(-2_000)}`);
    this.name = 'CommandError';
  }
}

export type CommandOptions = {
  /** Passed to standard input. */
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Kills it. */
  readonly signal?: AbortSignal;
};

/** Runs a command and resolves with its standard output. @throws CommandError */
export async function runCommand(
  command: string,
  args: readonly string[],
  { input, env, cwd, signal }: CommandOptions = {},
): Promise<string> {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    ...(env !== undefined && { env }),
    ...(cwd !== undefined && { cwd }),
  });
  const output: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
  // A command that reads no input may exit before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const text = Buffer.concat(output).toString();
  if (code !== 0)
    throw new CommandError(command, args, `${Buffer.concat(complaints).toString()}${text}`);
  return text;
}
