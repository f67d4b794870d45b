// Which seeds the long tests of a run try: see `seedsOfRun` in packages/testing.

/** Sets `TEST_SEEDS` unless it is set: a run that lasts beyond midnight keeps its seeds. Prints them. */
export function chooseSeeds() {
  process.env.TEST_SEEDS ??= new Date().toISOString().slice(0, 10);
  const seeds = process.env.TEST_SEEDS;
  process.stdout.write(
    seeds === 'all'
      ? 'Seeds of long tests: all.\n'
      : `Seeds of long tests: a fixed quarter, and the quarter of ${seeds}. TEST_SEEDS=${seeds} repeats them, TEST_SEEDS=all tries all.\n`,
  );
}
