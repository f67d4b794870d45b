import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HOME_DIR } from '@tidings/local/home';
import { makeOnce } from '@tidings/local/make-once';

const PACKAGE = '@sparticuz/chromium';
/** In a process of its own: `TMPDIR` is for it alone. */
const UNPACK = `await (await import('${PACKAGE}')).default.executablePath()`;

/** It takes two seconds of CPU; a busy machine has them late. */
const UNPACK_TIMEOUT_MS = 300_000;

/**
 * Unpacks the Chromium from npm once per checkout, and returns its path. The package itself unpacks to
 * the temporary folder, which users share. It starts any file there, also one that another process
 * still writes, or that belongs to another user.
 *
 * Do not use the package's own flags: they run everything in one process, which on some machines exits
 * with its first context.
 */
export async function unpackChromium(): Promise<string> {
  const manifest = new URL('../package.json', import.meta.resolve(PACKAGE));
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  const folder = join(HOME_DIR, 'chromium', version);
  await makeOnce(folder, async (making) => {
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: making },
      timeout: UNPACK_TIMEOUT_MS,
    });
  });
  return join(folder, 'chromium');
}
