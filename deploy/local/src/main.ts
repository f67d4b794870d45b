import { parseFlags, type Flags } from '../flags.mjs';
import { createProgress, palette } from '../progress.mjs';
import { lockHome, stopHome } from './home-lock.ts';
import { chooseProxyPorts } from './proxy-ports.ts';
import { startHelper, type Helper } from './helper/helper.ts';
import { HOME_DIR, homeLayout } from './home.ts';
import { deleteData } from './reset.ts';
import { aborted, onStopRequest } from './stop-request.ts';
import { stopRecorded } from './stack/process-record.ts';
import { startTidings, type Tidings } from './tidings.ts';
import { isFirstStart } from './first-start.ts';
import { startSummary } from './start-summary.ts';

const STOP_WITHIN_MS = 60_000;

const progress = createProgress();
const colour = palette();
const stopRequested = onStopRequest();
const layout = homeLayout(HOME_DIR);

try {
  await main(parseFlags(process.argv.slice(2)));
  process.exit(0);
} catch (error) {
  // A start interrupted by Ctrl-C is not an error.
  if (!stopRequested.aborted)
    progress.line(`\n${colour.red('✗')} ${error instanceof Error ? error.message : String(error)}`);
  process.exit(stopRequested.aborted ? 130 : 1);
}

async function main(flags: Flags): Promise<void> {
  const startedAt = performance.now();
  // `--help` was answered before; here it loads the code only, for the compile cache.
  if (flags.isHelp) return;
  if (flags.watched !== undefined) await checkService(flags.watched);
  progress.line(colour.bold('Tidings'));
  if (flags.isReset)
    await progress.step('Delete old data', () =>
      stopHome(HOME_DIR).then(() => deleteData(HOME_DIR)),
    );
  const claim = await lockHome(HOME_DIR);
  try {
    if (claim.leftovers.length > 0)
      progress.line(
        `  · The last run was killed; stopped its remaining processes: ${claim.leftovers.join(', ')}.`,
      );
    stopRequested.addEventListener('abort', forceEndLater, { once: true });
    const isFirst = isFirstStart(HOME_DIR);
    const helper = startHelper({ env: process.env, signal: stopRequested });
    const tidings = await start(flags, helper);
    try {
      progress.line(
        `  ${colour.green('Ready')} ${colour.dim(`after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)}`,
      );
      if (flags.hasDemo && isFirst) await demonstrate(tidings, helper);
      progress.line(
        startSummary(tidings.local, {
          colour,
          setupLink: await helper.run('createSetupLink', tidings.local),
          hasRunDemo: flags.hasDemo && isFirst,
        }),
      );
      await helper.end();
      await aborted(stopRequested);
    } finally {
      progress.line('\nStopping');
      await tidings.stop();
    }
  } finally {
    claim.release();
  }
}

/** @throws with the names there are, before anything is started */
async function checkService(name: string): Promise<void> {
  const { readServiceTable } = await import('./services/read-service-table.ts');
  const names = readServiceTable().services.map((service) => service.name);
  if (!names.includes(name))
    throw new Error(`There is no service "${name}". The services: ${names.join(', ')}.`);
}

async function start(flags: Flags, helper: Helper): Promise<Tidings> {
  const { notes, ...ports } = await chooseProxyPorts(flags.port);
  for (const note of notes) progress.line(`  · ${note}`);
  return startTidings({
    home: HOME_DIR,
    // Unmodified, since child processes inherit it. `readEnvironment` would add the content of
    // every NAME_FILE variable.
    env: process.env,
    helper,
    ...ports,
    isInteractive: true,
    form: flags.hasKafka ? 'services-on-kafka' : 'one-process',
    watchedService: flags.watched,
    keepsStores: true,
    signal: stopRequested,
    runStep: progress.step,
    onLine: (line) => progress.line(`  ${colour.yellow('!')} ${line}`),
  });
}

/** If the demonstration fails, prints the error; the services keep running for inspection. */
async function demonstrate({ local }: Tidings, helper: Helper): Promise<void> {
  try {
    await helper.run('demonstrate', local);
  } catch (error) {
    if (!stopRequested.aborted)
      progress.line(
        `\n${colour.red('✗')} The demonstration failed: ${error instanceof Error ? error.message : String(error)}`,
      );
  }
}

/** Forces an exit if the drain hangs. */
function forceEndLater(): void {
  setTimeout(() => {
    void stopRecorded(layout.runDir).finally(() => process.exit(1));
  }, STOP_WITHIN_MS).unref();
}
