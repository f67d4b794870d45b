/** @needs curl */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminAccess, callApi, connectShop } from '@tidings/install';
import { freePorts, ROOT_DIR, type LocalFile } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { shareTidings } from '../stack/share-tidings.ts';
import {
  listBlocks,
  onlyReads,
  readGuide,
  listSteps,
  toAnswer,
  type Step,
} from './support/guide.ts';
import { startShell, type Shell } from './support/shell.ts';

const PATIENT = { timeoutMs: 60_000, intervalMs: 500 };
/** What a reader replaces, by the field of an earlier answer that has the value. */
const PLACEHOLDERS = { REQUEST_ID: 'requestId', CAMPAIGN_ID: 'campaignId', WEBHOOK_ID: 'id' };

/** The folder that a reader is in: it has `.tidings`, as a checkout does while `npm start` runs. */
let folder: string;

beforeAll(async () => {
  const { local } = await shareTidings('Guides');
  folder = mkdtempSync(join(tmpdir(), 'tidings-guides-'));
  mkdirSync(join(folder, '.tidings'));
  writeFileSync(join(folder, '.tidings', 'local.json'), JSON.stringify(local));
  // Devices of the sandbox belong to the application of its shop.
  await connectShopTo(local);
}, 180_000);
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

async function connectShopTo(local: LocalFile): Promise<void> {
  const { baseUrl, sandboxUrl } = local;
  const { secret: userTokenSecret } = await callApi<{ readonly secret: string }>(
    adminAccess(baseUrl, local),
    { method: 'POST', path: `/api/v1/applications/${local.applicationId}/user-token-secret` },
  );
  await connectShop({ baseUrl, sandboxUrl, credentials: local, userTokenSecret });
}

/** Runs commands in one shell, compares their answers (an error where the guide shows one), and fills their placeholders from the answers so far. */
function startReader(): { readonly shell: Shell; run(step: Step): Promise<unknown> } {
  const shell = startShell(folder);
  const values = new Map<string, string>();
  const fill = (command: string): string =>
    command.replaceAll(/\b[A-Z]+_ID\b/g, (name) => values.get(name) ?? name);

  const runOnce = async ({ command, answer }: Step): Promise<unknown> => {
    const output = await shell.run(fill(command));
    if (output.trim() === '') return undefined;
    const body = JSON.parse(output) as Readonly<Record<string, unknown>>;
    expect(body).toEqual(toAnswer(answer));
    for (const [name, field] of Object.entries(PLACEHOLDERS)) {
      const value = body[field];
      if (typeof value === 'string') values.set(name, value);
    }
    return body;
  };
  return {
    shell,
    run: (step) => (onlyReads(step) ? eventually(() => runOnce(step), PATIENT) : runOnce(step)),
  };
}

/** In this order, on one installation. */
const GUIDES = [
  'docs/guides/send-events.md',
  'docs/guides/send-a-message.md',
  'docs/guides/segments.md',
  'docs/guides/funnels.md',
  'docs/guides/trends-and-retention.md',
  'docs/guides/templates.md',
  'docs/guides/automations.md',
  'docs/guides/channels.md',
  'docs/guides/user-tokens.md',
] as const;

test.each(GUIDES)(
  'the commands of %s run, and answer what it shows',
  async (path) => {
    const steps = listSteps(readGuide(path));
    const reader = startReader();
    try {
      for (const step of steps) await reader.run(step);
    } finally {
      reader.shell.end();
    }

    expect(steps.length).toBeGreaterThan(0);
  },
  180_000,
);

test('no two guides send a message of one id, which would count once', () => {
  const ids = ['README.md', ...GUIDES].flatMap((path) => [
    ...new Set(Array.from(readGuide(path).matchAll(/"id": "([a-z]+-\d+)"/g), ([, id]) => id)),
  ]);

  expect(ids.length).toBeGreaterThan(10);
  expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([]);
});

test('the first calls of README.md run, and answer what it shows', async () => {
  const [, calls = ''] = readGuide('README.md').split('\n## First calls\n');
  const steps = listSteps(calls.split('\n## ')[0] ?? '');
  const reader = startReader();
  try {
    for (const step of steps) await reader.run(step);
  } finally {
    reader.shell.end();
  }

  expect(steps.length).toBeGreaterThan(2);
}, 120_000);

test('the receiver of docs/guides/receive-webhooks.md verifies what the service sends', async () => {
  const [port = 0] = await freePorts(1);
  const guide = readGuide('docs/guides/receive-webhooks.md').replaceAll('3000', String(port));
  const [create, ...steps] = listSteps(guide);
  const code = listBlocks(guide).find(({ language }) => language === 'js')?.code;
  if (create === undefined || code === undefined) throw new Error('the guide has no receiver');
  const reader = startReader();
  let receiver: ReturnType<typeof startReceiver> | undefined;
  try {
    const { secret } = (await reader.run(create)) as { readonly secret: string };
    receiver = startReceiver(code, secret);
    await eventually(() => connect(port), PATIENT);
    for (const step of steps) await reader.run(step);

    expect(receiver.output()).toMatch(/^evt_\w+ webhook\.ping /m);
  } finally {
    receiver?.process.kill();
    reader.shell.end();
  }
}, 120_000);

/** @throws while nothing listens at the port */
const connect = (port: number) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST' });

/** Runs the guide's receiver in a folder with the package that it tells its reader to install. */
function startReceiver(code: string, secret: string) {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(
    realpathSync(join(ROOT_DIR, 'test', 'node_modules', 'standardwebhooks')),
    join(folder, 'node_modules', 'standardwebhooks'),
  );
  writeFileSync(join(folder, 'receiver.mjs'), code);
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  return { process: child, output: () => output };
}
