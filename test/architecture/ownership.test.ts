import { describe, expect, test } from '@jest/globals';
import { CHANNELS, LANES } from '@tidings/contracts/channels/channels';
import { LOG_TOPIC_SPECS, TOPICS, TOPIC_SPECS, dispatchTopic } from '@tidings/contracts/topics';
import { dirname } from 'node:path';
import { isTest, packageOf, readSourceFiles, type SourceFile } from './source-files.ts';
import { codeOf, readStatements } from './statement-files.ts';

const files = readSourceFiles();
const productFiles = files.filter(
  (file) => /^(packages|services)\//.test(file.path) && !isTest(file),
);

/**
 * SQL by which a settled outcome removes its address from the device. It is in the statements that
 * settle, so that both change together. Only they write `devices` from a foreign folder.
 */
const TAKES_DEAD_ADDRESS = 'update devices v set address = null, address_hash = null from (';

/** SQL is treated as code of the file that runs it. */
const statements = readStatements();
const texts = [
  ...productFiles,
  ...statements.map((one) => ({
    path: codeOf(one),
    code: one.sql.replace(one.folder === 'packages/delivery/src' ? TAKES_DEAD_ADDRESS : '', ''),
  })),
];

/** Packages that write tables; code that changes tables of several is in `user-data`. */
const OWNERS = [
  'postgres',
  'partitioned-log',
  'user-changes',
  'accounts',
  'webhook-queue',
  'channel-breakers',
  'link-hits',
  'campaign-drafts',
  'decisions',
  'people',
  'events',
  'delivery',
  'segments',
  'live-segments',
  'analytics',
  'templates',
  'automation-schedules',
  'automations',
  'automation-rehearsal',
  'user-data',
];
/** They write no table: what they read of those below them they read through Prisma. */
const READERS = ['packages/campaign-reports'];

const isOfOwner = (specifier: string): boolean =>
  OWNERS.includes(/^@tidings\/([^/]+)/.exec(specifier)?.[1] ?? '');
const isOwner = ({ path }: { readonly path: string }): boolean =>
  OWNERS.includes(/^packages\/([^/]+)/.exec(path)?.[1] ?? '');
const knowsTables = (file: { readonly path: string }): boolean =>
  isOwner(file) || READERS.includes(packageOf(file.path));

/** The folder of a file; in `accounts`, where each file is a topic, the file. */
const folderOf = (path: string): string =>
  dirname(path) === 'packages/accounts/src' ? path : dirname(path);

describe('ownership', () => {
  test('only contracts names a topic', () => {
    const names = [...Object.values(TOPICS).filter((topic) => topic.includes('-')), 'dispatch.'];
    const literal = new RegExp(
      `['"\`](${names.map((name) => name.replaceAll('.', '\\.')).join('|')})`,
    );
    const offenders = productFiles.filter(
      (file) => file.path !== 'packages/contracts/src/topics.ts' && literal.test(file.code),
    );
    const asTopic = /topics?:\s*\[?['"`]/;

    expect(offenders.map((file) => file.path)).toEqual([]);
    expect(
      productFiles
        .filter(
          (file) => file.path !== 'packages/contracts/src/topics.ts' && asTopic.test(file.code),
        )
        .map((file) => file.path),
    ).toEqual([]);
  });

  test('every topic that can be named has its settings', () => {
    const named = [
      ...Object.values(TOPICS),
      ...CHANNELS.flatMap((channel) => LANES.map((lane) => dispatchTopic(channel, lane))),
    ];

    expect(new Set([...TOPIC_SPECS, ...LOG_TOPIC_SPECS].map((spec) => spec.topic))).toEqual(
      new Set(named),
    );
  });

  test.each([
    ['kafkajs', 'packages/bus'],
    ['pg', 'packages/postgres'],
    ['pg-copy-streams', 'packages/postgres'],
    ['@prisma/adapter-pg', 'packages/postgres'],
    ['ioredis', 'packages/coordination'],
    // Settings; bodies and messages.
    ['ajv', 'packages/platform', 'packages/validation'],
    ['pino', 'packages/platform'],
    ['prom-client', 'packages/platform'],
    ['libphonenumber-js', 'packages/people'],
    ['nodemailer', 'services/worker-email'],
    ['undici', 'packages/egress'],
  ])('only its owner imports %s: %s', (dependency, ...owners) => {
    const importers = productFiles.filter((file) =>
      file.imports.some(({ from }) => from === dependency || from.startsWith(`${dependency}/`)),
    );

    expect(new Set(importers.map((file) => packageOf(file.path)))).toEqual(new Set(owners));
  });

  test('only the packages that own tables, or report of them, import their definition', () => {
    const importers = productFiles.filter((file) =>
      file.imports.some(({ from }) => from.startsWith('@tidings/database/')),
    );

    expect(importers.length).toBeGreaterThan(5);
    expect(importers.filter((file) => !knowsTables(file)).map((file) => file.path)).toEqual([]);
  });

  test('writing statements are in the packages that own tables', () => {
    const writing = /\b(insert\s+into|delete\s+from|update\s+\w+(\s+\w+)?\s+set|truncate\s+)/i;
    const offenders = texts.filter((file) => !isOwner(file) && writing.test(file.code));

    expect(offenders.map((file) => file.path)).toEqual([]);
  });

  test('only these packages reach tables through Prisma', () => {
    const offenders = productFiles.filter(
      (file) => !knowsTables(file) && /\.prisma\b/.test(file.code),
    );

    expect(offenders.map((file) => file.path)).toEqual([]);
  });

  test('each table is written by one folder, except deletions of a user by user-data', () => {
    const writers = new Map<string, Set<string>>();
    for (const file of texts.filter(isOwner)) {
      if (packageOf(file.path) === 'packages/user-data') continue;
      for (const [, table = ''] of file.code.matchAll(
        /\b(?:insert\s+into|delete\s+from|update)\s+([a-z_]+)(?=[\s(])(?!\s*=)/g,
      )) {
        if (['set', 'of', 'skip'].includes(table)) continue;
        writers.set(table, (writers.get(table) ?? new Set()).add(folderOf(file.path)));
      }
    }
    const shared = [...writers]
      .filter(([, folders]) => folders.size > 1)
      .map(([table, folders]) => `${table}: ${[...folders].join(', ')}`);

    expect(writers.size).toBeGreaterThan(10);
    expect(shared).toEqual([]);
  });

  test('a function that writes a table names its callers outside its package, and no other calls it', () => {
    const declared = new Map<string, string[]>();
    const undeclared: string[] = [];
    for (const file of productFiles.filter(isOwner)) {
      for (const { name, doc, body } of exportedFunctions(file.text)) {
        const callers = /@callers\s+([a-z, -]+?)\s*(?:\*\/|\n)/
          .exec(doc)?.[1]
          ?.split(',')
          .map((caller) => caller.trim());
        if (callers !== undefined) declared.set(name, callers);
        else if (WRITING.test(withStatements(file, body))) undeclared.push(`${file.path}: ${name}`);
      }
    }
    const uninvited = productFiles
      .concat(files.filter(({ path }) => path.startsWith('deploy/')))
      .flatMap((file) => {
        const caller = packageOf(file.path).split('/')[1] ?? '';
        return file.imports
          .flatMap(({ from, names }) => (isOfOwner(from) ? names : []))
          .filter((name) => declared.has(name) && !declared.get(name)?.includes(caller))
          .map((name) => `${file.path}: ${name}`);
      })
      .filter((use) => !use.includes('.test.ts'));

    expect(declared.size).toBeGreaterThan(10);
    expect(undeclared).toEqual([]);
    expect(uninvited).toEqual([]);
  });

  test('signals are handled in one place', () => {
    const offenders = productFiles.filter(
      (file) =>
        /process\.(on|once)\(/.test(file.code) &&
        file.path !== 'packages/platform/src/run-services.ts',
    );

    expect(offenders.map((file) => file.path)).toEqual([]);
  });
});

const WRITING =
  /\b(insert\s+into|update\s+\w+(\s+\w+)?\s+set|\.\w+\.(create|update|updateMany|delete|deleteMany|upsert)\()/;

/**
 * The text of a function with the statements that it names, also through a constant of its file.
 */
function withStatements({ path, code }: SourceFile, body: string): string {
  const constants = [...code.matchAll(/^const (\w+)[^=]*=([\s\S]*?);$/gm)]
    .filter(([, name = '']) => new RegExp(`\\b${name}\\b`).test(body))
    .map(([, , value = '']) => value);
  const text = [body, ...constants].join('\n');
  const named = statements.filter(
    ({ folder, name }) => folder === dirname(path) && text.includes(`statement('${name}')`),
  );
  return [body, ...named.map(({ sql }) => sql)].join('\n');
}

/**
 * Exported functions of a file with doc comments and bodies (up to the next top-level declaration).
 */
function exportedFunctions(text: string): { name: string; doc: string; body: string }[] {
  return [
    ...text.matchAll(
      /((?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?)export (?:async )?function (\w+)([\s\S]*?)(?=\n(?:export |\/\*\*|async function|function|const|type)|$)/g,
    ),
  ].map(([, doc = '', name = '', body = '']) => ({ name, doc, body }));
}
