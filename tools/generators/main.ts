import { startTidings } from '../stack/start-tidings.ts';
import { GENERATORS, findGenerator } from './generators.ts';
import { canRun, runGenerator } from './run-generator.ts';

const named = process.argv.slice(2);
const names = named.length > 0 ? named : Object.keys(GENERATORS);
if (names.some((name) => !Object.hasOwn(GENERATORS, name))) {
  console.error(`npm run generators -- ${Object.keys(GENERATORS).join('|')}`);
  process.exit(2);
}

const tidings = await startTidings({ name: 'generators', form: 'one-process' });
try {
  for (const name of names) await show(name);
} finally {
  await tidings.stop();
}

/** Prints a line per generator; the program fails if one fails or cannot run. */
async function show(name: string): Promise<void> {
  const generator = findGenerator(name);
  const startedAt = performance.now();
  try {
    if (!canRun(generator)) throw new Error(`not run: ${generator.needs.join(' ')} fails here`);
    const { submitted, pushed, refused } = await runGenerator(generator, tidings.local);
    const tookS = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(
      `${name} (${generator.language}): generated, compiled, called in ${tookS} s: ` +
        `POST / ${submitted.status} ${submitted.accepted}, POST /push ${pushed.status} ${pushed.channel}, without recipients ${refused}`,
    );
  } catch (error) {
    process.exitCode = 1;
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
