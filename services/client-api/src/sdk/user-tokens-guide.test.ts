import { describe, expect, test } from '@jest/globals';
import { readEnvironment } from '@tidings/platform';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readUserToken } from './user-token.ts';

const GUIDE = readFileSync(
  join(import.meta.dirname, '../../../../docs/guides/user-tokens.md'),
  'utf8',
);
const SECRET = 'ut_secret_of_the_application_größe';
const TIMEOUT_MS = 20_000;

/** The guide's code in one language. */
function snippetOf(language: 'js' | 'python'): string {
  const [, code] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(GUIDE) ?? [];
  if (code === undefined) throw new Error(`the guide signs no user token in ${language}`);
  return code;
}

const run = (command: string, args: readonly string[], customUserId: string): string =>
  execFileSync(command, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    env: { PATH: readEnvironment()['PATH'], ID: customUserId, SECRET, PYTHONUTF8: '1' },
  }).trim();
const WAYS: Readonly<Record<string, (customUserId: string) => string>> = {
  node: (id) =>
    run(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `${snippetOf('js')}\nconsole.log(signUserToken(process.env.ID, process.env.SECRET));`,
      ],
      id,
    ),
  python3: (id) =>
    run(
      'python3',
      [
        '-c',
        `${snippetOf('python')}\nimport os\nprint(sign_user_token(os.environ["ID"], os.environ["SECRET"]))`,
      ],
      id,
    ),
};
/** Python is not installed everywhere. */
const isThere = (command: string): boolean =>
  command === 'node' || spawnSync(command, ['--version'], { timeout: TIMEOUT_MS }).status === 0;

describe.each(Object.keys(WAYS).filter(isThere))(
  'docs/guides/user-tokens.md signs a user token in %s',
  (way) => {
    test.each(['ada', 'größe "1" 🫖'])(
      'the service accepts it for customUserId %j',
      async (customUserId) => {
        const token = WAYS[way]?.(customUserId) ?? '';

        const nowMs = Date.now();
        expect(await readUserToken(token, { secrets: [SECRET], nowMs })).toEqual({
          status: 'valid',
          customUserId,
        });
        expect(await readUserToken(token, { secrets: ['another secret'], nowMs })).toMatchObject({
          status: 'invalid',
        });
        expect(
          await readUserToken(token, { secrets: [SECRET], nowMs: nowMs + 2 * 3_600_000 }),
        ).toMatchObject({ status: 'invalid' });
      },
    );
  },
);
