import { describe, expect, test } from '@jest/globals';
import { isTest, readSourceFiles } from './source-files.ts';

const productFiles = readSourceFiles().filter(
  (file) => /^(packages|services|deploy)\//.test(file.path) && !isTest(file),
);

/** The lists that name the providers of SMS. */
const LISTS = new Map([
  ['packages/providers/src/sms/callback-providers.ts', 'providers that call back'],
  ['services/worker-sms/src/providers/registry.ts', 'providers that send'],
  ['packages/contracts/src/channels/sms.ts', 'providers with their settings'],
]);

/** Each provider with its names and the files that may contain them; its own folders come first. */
const PROVIDERS = (['twilio', 'vonage'] as const).map((name) => ({
  name,
  word: new RegExp(name, 'i'),
  folders: [
    `packages/contracts/src/channels/settings/${name}.ts`,
    `packages/providers/src/sms/${name}/`,
    `services/worker-sms/src/providers/${name}/`,
    'services/sandbox/',
  ],
  exceptions: LISTS,
}));

describe('providers', () => {
  test.each(PROVIDERS)(
    'only its folders name $name, except listed files',
    ({ word, folders, exceptions }) => {
      // Comments too: they must hold for every provider.
      const naming = productFiles
        .filter(({ path, text }) => word.test(text) || word.test(path))
        .map(({ path }) => path)
        .filter((path) => !folders.some((folder) => path.startsWith(folder)));

      expect(naming.toSorted()).toEqual([...exceptions.keys()].toSorted());
    },
  );

  test.each([
    ['twilio', ['packages/providers/src/sms/twilio/', 'services/worker-sms/src/providers/twilio/']],
    ['nodemailer', ['services/worker-email/src/providers/smtp/']],
    ['firebase-admin', ['services/worker-app-push/src/providers/fcm/']],
    ['web-push', ['services/worker-web-push/src/providers/push-service/']],
  ])('only the folders of a provider import %s: %j', (dependency, folders) => {
    const importers = productFiles
      .filter(
        ({ path, imports }) =>
          !path.startsWith('services/sandbox/') &&
          imports.some(({ from }) => from === dependency || from.startsWith(`${dependency}/`)),
      )
      .map(({ path }) => folders.find((folder) => path.startsWith(folder)) ?? path);

    expect(new Set(importers)).toEqual(new Set(folders));
  });

  test.each(PROVIDERS)('the folders of $name exist', ({ folders }) => {
    const empty = folders.filter(
      (folder) => !productFiles.some(({ path }) => path.startsWith(folder)),
    );

    expect(empty).toEqual([]);
  });
});
