import { processConfig, type ConfigField } from '@tidings/platform';
import { channelWorkerConfig, inboxWorkerConfig } from '@tidings/channel-worker';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SERVICES_DIR = resolve(import.meta.dirname, '..', '..', 'services');

type Setting = { readonly field: ConfigField; readonly services: string[] };

/** A Markdown table of all settings, from the declarations of the services. */
async function configurationTable(): Promise<string> {
  const services = listServices();
  const settings = new Map<string, Setting>();
  for (const service of services) {
    for (const field of await readFields(service)) {
      const key = isOwnDefault(service, field) ? `${field.env} ${service}` : field.env;
      const known = settings.get(key) ?? { field, services: [] };
      known.services.push(service);
      settings.set(key, known);
    }
  }
  const rows = [...settings.values()]
    .sort((a, b) => b.services.length - a.services.length || a.field.env.localeCompare(b.field.env))
    .map(
      ({ field, services: users }) =>
        `| \`${field.env}\` | ${usersText(users, services)} | ${formatDefault(field)} | ${field.doc} |`,
    );
  return [
    '| variable | services | default | what it is for |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** The services that read settings of their own. */
export function listServices(): readonly string[] {
  return readdirSync(SERVICES_DIR).filter(
    (name) => name !== 'all' && existsSync(join(SERVICES_DIR, name, 'src', 'config.ts')),
  );
}

/** Whether a worker has another default than its kind. */
function isOwnDefault(service: string, { env, default: own }: ConfigField): boolean {
  const usual = Object.values<ConfigField>(channelWorkerConfig).find((field) => field.env === env);
  return service.startsWith('worker-') && usual !== undefined && usual.default !== own;
}

/** docs/configuration.md with the current table between its marks. @throws when a mark is missing */
export async function withConfigurationTable(document: string): Promise<string> {
  return withTable(document, 'configuration', await configurationTable());
}

/** A document with a table between its marks. @throws when a mark is missing */
export function withTable(document: string, name: string, table: string): string {
  const start = `<!-- ${name}: made by \`npm run generate\` -->`;
  const end = `<!-- end of ${name} -->`;
  const [before, rest] = document.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`a document lacks the marks of its table: ${name}`);
  return `${before}${start}\n${table}\n${end}${after}`;
}

/**
 * The shorter of two texts: services that use a setting, or all except some. Ignores the sandbox.
 */
function usersText(users: readonly string[], services: readonly string[]): string {
  const others = services.filter((service) => service !== 'sandbox' && !users.includes(service));
  if (others.length === 0) return 'all';
  return others.length * 2 < users.length ? `all but ${others.join(', ')}` : users.join(', ');
}

/** The configuration fields of a service. */
export async function readFields(service: string): Promise<ConfigField[]> {
  const module = (await import(join(SERVICES_DIR, service, 'src', 'config.ts'))) as Readonly<
    Record<string, Readonly<Record<string, ConfigField>>>
  >;
  const own = Object.values(module).find((value) =>
    Object.values(value).some((field) => typeof field === 'object' && 'env' in field),
  );
  if (own === undefined) throw new Error(`${service} declares no configuration`);
  // Inbox workers share fields that workers with a provider do not use.
  const isOffering = Object.values(module).includes(inboxWorkerConfig as never);
  const shared = service.startsWith('worker-') && !isOffering ? channelWorkerConfig : {};
  return Object.values({ ...processConfig, ...shared, ...own });
}

export function formatDefault(field: ConfigField): string {
  if (field.fallbackEnv !== undefined)
    return `\`${field.fallbackEnv}\`${field.secret ? ', secret' : ''}`;
  if (field.default === undefined) return field.secret ? '**required**, secret' : '**required**';
  const value =
    typeof field.default === 'string'
      ? field.default
      : JSON.stringify(field.default).replaceAll(/[[\]"]/g, '');
  return `${value === '' ? 'none' : `\`${value}\``}${field.secret ? ', secret' : ''}`;
}
