import { spawn, type SpawnOptions } from 'node:child_process';

export type ToolOptions = Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid' | 'signal'> & {
  /** Passed to the tool's standard input. */
  readonly input?: string;
  /** Called with each line the tool prints. */
  readonly onLine?: (line: string) => void;
};

const LINES_KEPT = 20;

/** Runs a tool to its end without output. @throws with its last lines if it fails */
export async function runTool(
  command: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<void> {
  const { input, onLine, ...spawnOptions } = options;
  const child = spawn(command, args, { ...spawnOptions, stdio: ['pipe', 'pipe', 'pipe'] });
  const printed: string[] = [];
  const read = (chunk: Buffer) => {
    for (const line of chunk
      .toString()
      .split('\n')
      .filter((text) => text.trim() !== '')) {
      printed.push(line);
      onLine?.(line);
    }
    printed.splice(0, printed.length - LINES_KEPT);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  child.stdin.on('error', () => undefined); // The exit code tells why a tool ended early.
  child.stdin.end(input);

  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(`${command} failed (${signal ?? `exit code ${code}`}):\n${printed.join('\n')}`),
        );
    });
  });
}
