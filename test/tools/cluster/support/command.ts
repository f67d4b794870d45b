import { spawn } from 'node:child_process';

/** A command that ended with another code than 0, or was ended. */
export class CommandError extends Error {
  constructor(command: string, args: readonly string[], said: string) {
    super(`${[command, ...args].join(' ').slice(0, 300)} failed: ${said.trim().slice(-2_000)}`);
    this.name = 'CommandError';
  }
}

export type CommandOptions = {
  /** Written to its standard input. */
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Ends it. */
  readonly signal?: AbortSignal;
};

/** Runs a command to its end and resolves with what it wrote to standard output. @throws CommandError */
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
  // One that does not read its input may be gone before it is written.
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
