import { spawn } from 'node:child_process';
import { dirname, delimiter } from 'node:path';
import { readEnvironment } from '@tidings/platform';

const MARK = '--- end of block';
const TIMEOUT_MS = 30_000;

export type Shell = {
  /** Runs one block in the session and resolves with its standard output. @throws with the standard error of a block that fails */
  run(block: string): Promise<string>;
  end(): void;
};

/** One bash session, so that variables set by a block are there in the next ones. */
export function startShell(cwd: string): Shell {
  const path = readEnvironment()['PATH'] ?? '';
  const bash = spawn('bash', ['--noprofile', '--norc'], {
    cwd,
    env: { PATH: `${dirname(process.execPath)}${delimiter}${path}` },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  let notify = (): void => undefined;
  bash.stdout.setEncoding('utf8').on('data', (part: string) => {
    output += part;
    notify();
  });
  bash.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  return {
    run: (block) =>
      new Promise((resolve, reject) => {
        output = '';
        errors = '';
        const timer = setTimeout(
          () => reject(new Error(`no end after ${TIMEOUT_MS} ms: ${block}`)),
          TIMEOUT_MS,
        );
        notify = () => {
          const [before, code] = output.split(`\n${MARK} `);
          if (before === undefined || code?.endsWith('\n') !== true) return;
          clearTimeout(timer);
          if (code === '0\n') resolve(before);
          else reject(new Error(`exit code ${code.trim()} of: ${block}\n${errors}`));
        };
        bash.stdin.write(`${block}\nprintf '\\n${MARK} %s\\n' $?\n`);
      }),
    end: () => {
      bash.stdin.end();
      bash.kill();
    },
  };
}
