import { spawn } from 'node:child_process';

/** A program that a generator needs, or that was generated. */
export type Program = {
  readonly what: 'install' | 'generate' | 'compile' | 'call';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
};

const TIMEOUT_MS = 300_000;
/** Output characters shown in an error. */
const SHOWN_CHARS = 4_000;

/** Its output. @throws Error with the end of its output if it fails */
export function runProgram({ what, command, args, cwd, env = {} }: Program): Promise<string> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let printed = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    said += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(printed);
      else
        reject(
          new Error(
            `${what}: ${command} ${args.join(' ')} exited with ${code}\n${said.slice(-SHOWN_CHARS)}`,
          ),
        );
    });
  });
}
