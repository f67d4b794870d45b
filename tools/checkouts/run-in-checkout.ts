import { spawnSync } from 'node:child_process';

/** A new clone installs its packages first. */
const USAGE_WITHIN_MS = 600_000;

/**
 * The usage of a program of another checkout, which it prints without arguments. A new clone
 * installs its packages first.
 * @throws if it prints none
 */
export function readUsageText(checkout: string, program: 'bench'): string {
  const { stdout, stderr } = spawnSync('npm', ['run', '--silent', program], {
    cwd: checkout,
    encoding: 'utf8',
    env: checkoutEnvironment(),
    timeout: USAGE_WITHIN_MS,
  });
  const usage = `${stdout}${stderr}`;
  if (!usage.includes(`npm run ${program}`))
    throw new Error(`${program} of ${checkout} printed no usage:\n${usage}`);
  return usage;
}

/** Without npm's variables, which name this checkout. */
export function checkoutEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('npm_') && name !== 'INIT_CWD' && name !== 'NODE_OPTIONS',
    ),
  );
}
