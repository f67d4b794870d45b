import { allConfig, OWN_NAMES } from '@tidings/all/src/config.ts';
import { mergeConfigs, type NamedConfig } from '@tidings/all/src/merge-configs.ts';
import { STAGES } from '@tidings/all/src/service.ts';
import type { ConfigField } from '@tidings/platform';
import { sandboxConfig } from '@tidings/sandbox/src/config.ts';
import { isDeepStrictEqual } from 'node:util';
import { formatDefault, listServices, readFields, withTable } from './configuration-table.ts';

/** docs/operations/one-process.md with its current table. @throws when a mark is missing */
export async function withOneProcessTable(document: string): Promise<string> {
  return withTable(document, 'one process', await oneProcessTable());
}

/** A Markdown table of the settings that the process with all services has, and no service has. */
async function oneProcessTable(): Promise<string> {
  const known = (await Promise.all(listServices().map(readFields))).flat();
  const rows = readOneProcessFields([{ name: 'sandbox', config: sandboxConfig }])
    .filter((field) => !known.some((other) => isDeepStrictEqual(field, other)))
    .map((field) => `| \`${field.env}\` | ${formatDefault(field)} | ${field.doc} |`);
  return ['| variable | default | what it is for |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The configuration fields of the process with all services, and further ones. */
export function readOneProcessFields(others: readonly NamedConfig[] = []): readonly ConfigField[] {
  const services = [...STAGES.flat(), ...others];
  return Object.values(mergeConfigs(services, { own: allConfig, ownNames: OWN_NAMES }).spec);
}
