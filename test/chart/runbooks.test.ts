import { expect, test } from '@jest/globals';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { CONSUMER_GROUPS } from '@tidings/contracts/topics';
import { LOGGED_FIELDS } from '@tidings/platform';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest, readSourceFiles } from '../architecture/source-files.ts';
import { readAlerts, type Alert } from '../observability/alerts.ts';
import { readCases, render, ROOT_DIR } from '@tidings/tools/helm';

const NAMED = [
  ...render(String(readCases().get('production'))),
  ...render(String(readCases().get('cpu-autoscaling'))),
].flatMap((manifest) => {
  const pod = manifest['spec'] as
    | {
        readonly template?: {
          readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
        };
      }
    | undefined;
  return Object.entries(pod?.template?.metadata?.labels ?? {});
});
/** Labels of the rendered pods, as `key=value`. */
const POD_LABELS = new Set(NAMED.map(([key, value]) => `${key}=${value}`));
const COMPONENTS = NAMED.filter(([key]) => key === 'app.kubernetes.io/component').map(
  ([, value]) => value,
);

/** The values that a label of an alert can have. */
const LABEL_VALUES: Readonly<Record<string, readonly string[]>> = {
  channel: CHANNELS,
  consumer: ['users', 'events'],
  group: CONSUMER_GROUPS.map(({ group }) => group),
  job: COMPONENTS.filter((name) => name !== 'preparation' && name !== 'test').map(
    (name) => `tidings-${name}`,
  ),
};

/** Every text of a command that depends on a label, with each value of that label. */
function filledIn(text: string): readonly string[] {
  const expression = /\{\{ \$labels\.(\w+)([^}]*) \}\}/.exec(text);
  if (expression === null) return [text];
  const [whole, label = '', steps = ''] = expression;
  return (LABEL_VALUES[label] ?? ['VALUE']).flatMap((value) =>
    filledIn(text.replace(whole, () => piped(value, steps))),
  );
}

/** The steps of a Go template that the alerts use. */
function piped(value: string, steps: string): string {
  return steps
    .split('|')
    .map((step) => step.trim())
    .filter((step) => step !== '')
    .reduce((text, step) => {
      if (step === 'toLower') return text.toLowerCase();
      const [, pattern, replacement] = /^reReplaceAll "(.*?)" "(.*?)"$/.exec(step) ?? [];
      if (pattern === undefined) throw new Error(`unsupported template step: ${step}`);
      return text.replaceAll(new RegExp(pattern, 'g'), replacement ?? '');
    }, value);
}

/** `key=value` of each label selector of a command: `-l key=value` or `-l 'key in (a,b)'`. */
function selectorsOf(command: string): readonly string[] {
  return [...command.matchAll(/ -l (?:'(\S+) in \(([^)]*)\)'|(\S+))/g)].flatMap(
    ([, key, values = '', equality = '']) =>
      key === undefined ? [equality] : values.split(',').map((value) => `${key}=${value}`),
  );
}

const LOG_CALL = /\b(?:logger|log)\??\.(?:info|warn|error|fatal)\(/g;

/** The string literals in the log calls of the product, at levels that production writes. */
const MESSAGES: readonly string[] = readSourceFiles()
  .filter((file) => /^(packages|services\/(?!sandbox\/))/.test(file.path) && !isTest(file))
  .flatMap(({ code }) =>
    [...code.matchAll(LOG_CALL)].flatMap((call) =>
      [...argumentsFrom(code.slice(call.index + call[0].length)).matchAll(/'([^'\n]+)'/g)].map(
        ([, text = '']) => text,
      ),
    ),
  );

/** The text up to the parenthesis that ends a call. */
function argumentsFrom(text: string): string {
  let depth = 1;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (depth === 0) return text.slice(0, index);
  }
  return text;
}

const isLogged = (text: string): boolean => MESSAGES.some((message) => message.includes(text));

/** The texts that a command looks for in a log. Those made of labels alone are no messages. */
const grepsOf = (command: string): readonly string[] =>
  [...command.matchAll(/\| grep (?:-E )?"([^"]*)"/g)]
    .flatMap(([, pattern = '']) => pattern.split('|'))
    .filter((text) => !/^\{\{.*\}\}$/.test(text));

const withAlert = (
  of: (alert: Alert & { readonly command: string; readonly runbook: string }) => readonly string[],
): readonly string[] =>
  readAlerts().flatMap((alert) => {
    const { command = '', runbook = '' } = alert.annotations;
    return of({ ...alert, command, runbook }).map((found) => `${alert.alert}: ${found}`);
  });

test('the code logs every text that a first command looks for', () => {
  const texts = withAlert(({ command }) => grepsOf(command));

  expect(texts.length).toBeGreaterThan(30);
  expect(withAlert(({ command }) => grepsOf(command).filter((text) => !isLogged(text)))).toEqual(
    [],
  );
});

test('the code logs every quoted text of a runbook; a field with its value is a declared field', () => {
  const fields = (runbook: string) => [...runbook.matchAll(/"(\w+)":"\w+"/g)];
  const quoted = (runbook: string) =>
    [...runbook.replaceAll(/"\w+":"\w+"/g, '').matchAll(/"([^"]+)"/g)].map(([, text = '']) => text);

  expect(withAlert(({ runbook }) => quoted(runbook)).length).toBeGreaterThan(20);
  expect(withAlert(({ runbook }) => quoted(runbook).filter((text) => !isLogged(text)))).toEqual([]);
  expect(
    withAlert(({ runbook }) =>
      fields(runbook)
        .map(([, field = '']) => field)
        .filter((field) => !LOGGED_FIELDS.has(field)),
    ),
  ).toEqual([]);
});

test('every label selector of a command matches pods of the rendered chart', () => {
  const selectors = (text: string) => filledIn(text).flatMap(selectorsOf);

  expect(withAlert(({ command }) => selectors(command)).length).toBeGreaterThan(40);
  expect(
    withAlert(({ command, runbook }) =>
      [...selectors(command), ...selectorsOf(runbook)].filter((one) => !POD_LABELS.has(one)),
    ),
  ).toEqual([]);
});

test('every command of kubectl names the namespace; logs are whole and name their pods', () => {
  const calls = (text: string) =>
    filledIn(text).flatMap((line) => [...line.matchAll(/kubectl [^|;]*/g)].map(([call]) => call));

  expect(
    withAlert(({ command, runbook }) =>
      [...calls(command), ...calls(runbook)].filter(
        (call) => !call.startsWith('kubectl -n NAMESPACE '),
      ),
    ),
  ).toEqual([]);
  expect(
    withAlert(({ command }) =>
      calls(command).filter(
        (call) => / logs -l /.test(call) && !/ --prefix --tail=-1\b/.test(call),
      ),
    ),
  ).toEqual([]);
});

test('every alert has a section with its meaning, impact, first command and remedy', () => {
  const document = readFileSync(join(ROOT_DIR, 'docs', 'operations', 'runbooks.md'), 'utf8');
  const incomplete = readAlerts().filter(({ alert }) => {
    const section = document.split(`### ${alert}\n`)[1]?.split('\n### ')[0] ?? '';
    return !/\*\*Meaning\.\*\* \S[\s\S]*\*\*Impact\.\*\* \S[\s\S]*```sh\n(?:kubectl|psql|chronyc) [\s\S]*```[\s\S]*\*\*Remedy\.\*\* \S/.test(
      section,
    );
  });

  expect(incomplete.map(({ alert }) => alert)).toEqual([]);
});
