import { relative } from 'node:path';
import type { Palette } from '../progress.mjs';
import type { Form } from './form.ts';
import { HOME_DIR, homeLayout } from './home.ts';
import type { LocalFile } from './local-file.ts';

export type StartSummaryOptions = {
  readonly colour: Palette;
  readonly setupLink: string | null;
  /** True if this start ran the demonstration. */ readonly hasRunDemo: boolean;
};

const RUNS_AS: Readonly<Record<Form, string>> = {
  'one-process': 'one process on Postgres',
  'processes-on-kafka': 'one process on Kafka, Postgres and Redis',
  'processes-on-postgres': 'one process on Postgres and Redis',
  'services-on-kafka': 'a process for each service, on Kafka, Postgres and Redis',
  'services-on-postgres': 'a process for each service, on Postgres and Redis',
};
const OTHER_FORM: Readonly<Record<Form, string>> = {
  'one-process': 'each service in its own, on Kafka: npm start -- --kafka',
  'processes-on-kafka': '',
  'processes-on-postgres': '',
  'services-on-kafka': 'all in one, without Kafka and Redis: npm start',
  'services-on-postgres': '',
};

/** The summary printed at the end of a start: URLs, files and next commands. */
export function startSummary(
  local: LocalFile,
  { colour, setupLink, hasRunDemo }: StartSummaryOptions,
): string {
  const layout = homeLayout(HOME_DIR);
  const here = (path: string): string => relative(process.cwd(), path) || '.';
  const rows = [
    ['Runs as', `${RUNS_AS[local.form]}  ${colour.dim(OTHER_FORM[local.form])}`],
    ['Base URL', `${local.baseUrl}  ${colour.dim(local.httpsUrl)}`],
    [
      'Dashboard',
      setupLink === null
        ? local.dashboardUrl
        : `${setupLink}  ${colour.dim('one-time setup link: become the owner')}`,
    ],
    ['API reference', `${local.baseUrl}/docs`],
    ['Sandbox', `${local.sandboxUrl}  ${colour.dim('sent messages')}`],
    ['Application', local.applicationId],
    ['Keys', here(layout.localFile)],
    ['Logs', here(layout.logDir)],
  ] as const;
  return [
    '',
    ...rows.map(([title, value]) => `  ${colour.bold(title.padEnd(14))} ${value}`),
    '',
    `  ${colour.dim(hasRunDemo ? 'Run the demonstration again, in another terminal:' : 'Run the demonstration, in another terminal:')} npm run demo    ${colour.dim('Stop:')} Ctrl-C`,
  ].join('\n');
}
