import { readSourceFiles } from '../architecture/source-files.ts';
import { GENERATORS } from '@tidings/tools/generators/generators';
import { canRun } from '@tidings/tools/generators/run-generator';
import type { Step } from './run-step.ts';

/** What runs alone, as `npm run nightly -- NAME`. */
export type Part = { readonly settings: string; readonly steps: readonly Step[] };

const RUNNER = 'deploy/local/run.mjs';
const MUTANT_GROUPS = [
  'ingest',
  'delivery',
  'segments',
  'analytics',
  'templates',
  'personalised',
  'audiences',
  'automations',
];
/** A million cases of the slowest property take days. */
const PROPERTY_LIMITS = { PROPERTY_RUNS: '1000000', PROPERTY_SECONDS: '300' };
const ALL_SEEDS = { TEST_SEEDS: 'all' };
const ALL_ROWS = { TEST_ROWS: 'all' };
/** The end-to-end test runs the others. */
const GENERATORS_WITHOUT_TEST = ['oapi-codegen'];

const tests = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Step => ({ name, args: ['test/run.mjs', ...args], env });

/** All parts, in the order in which they run: short ones first. */
export function listParts(): Readonly<Record<string, Part>> {
  const seeded = listSeededTests();
  const today = new Date().toISOString().slice(0, 10);
  return {
    sbom: {
      settings: 'the bill of materials of an assembled image, and all its services',
      steps: [tests('sbom', ['e2e', 'test/e2e/image'], ALL_ROWS)],
    },
    generators: {
      settings: 'clients in three languages',
      steps: [
        tests('generators', ['e2e', 'test/e2e/generators'], ALL_ROWS),
        ...GENERATORS_WITHOUT_TEST.map(generatorStep),
      ],
    },
    seeds: {
      settings: `TEST_SEEDS=all, ${seeded.length} test files`,
      steps: [tests('seeds', ['unit', 'integration', 'browser', ...seeded], ALL_SEEDS)],
    },
    isolated: {
      settings: 'unit and integration tests, each file with modules of its own',
      steps: [tests('isolated', ['--isolated', 'unit', 'integration'])],
    },
    order: {
      settings: `TEST_ORDER=${today}, unit and integration tests`,
      steps: [tests('order', ['unit', 'integration'], { TEST_ORDER: today })],
    },
    faults: {
      settings: 'TEST_ROWS=all, short form',
      steps: [tests('faults', ['faults'], ALL_ROWS)],
    },
    properties: {
      settings: Object.entries(PROPERTY_LIMITS)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
      steps: [{ name: 'properties', args: ['test/properties.mjs'], env: PROPERTY_LIMITS }],
    },
    mutants: {
      settings: `TEST_SEEDS=all, groups ${MUTANT_GROUPS.join(', ')}`,
      steps: MUTANT_GROUPS.map((group) => ({
        name: `mutants ${group}`,
        args: [RUNNER, 'tools/mutants/main.ts', group],
      })),
    },
  };
}

function generatorStep(name: string): Step {
  const { needs } = GENERATORS[name] ?? { needs: ['false'] as const };
  return {
    name: `generators ${name}`,
    args: [RUNNER, 'tools/generators/main.ts', name],
    lacks: canRun({ needs }) ? null : `${needs.join(' ')} fails here`,
  };
}

/** The tests of which a usual run tries a part of the seeds. */
function listSeededTests(): readonly string[] {
  return readSourceFiles()
    .filter(({ path }) => /^(packages|services|test\/browser)\/.*\.test\.ts$/.test(path))
    .filter(({ code }) => /\b(seedsOfRun|casesOfRun|propertyRuns)\(/.test(code))
    .map(({ path }) => path);
}
