import { createProgress, palette } from '../../progress.mjs';
import { HOME_DIR, homeLayout } from '../home.ts';
import { readLocalFile } from '../local-file.ts';
import { onStopRequest } from '../stop-request.ts';
import { runDemonstration } from './demonstration.ts';

const progress = createProgress();
const colour = palette();
const signal = onStopRequest();

try {
  const local = readLocalFile(homeLayout(HOME_DIR).localFile);
  if (local === undefined)
    throw new Error(
      'Tidings is not running here: start it with "npm start" and run this in another terminal.',
    );
  await runDemonstration(local, { progress, colour, signal });
  process.exit(0);
} catch (error) {
  progress.line(`\n${colour.red('✗')} ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
