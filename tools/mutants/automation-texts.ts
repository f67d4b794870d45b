import type { Mutant } from './run-mutants.ts';

const INTAKE = 'packages/campaign-intake/src';
const LIQUID = 'packages/liquid/src';
const ENGINE = `${LIQUID}/engine`;
const RENDERING = 'packages/templates/src';

const AUTOMATION = { project: 'unit', pattern: `${LIQUID}/automation-texts` } as const;
const RECORDED = { project: 'unit', pattern: `${LIQUID}/filling` } as const;
const AUTOMATED = {
  project: 'integration',
  pattern: 'services/gateway/src/routes/push/400-automation',
} as const;
const SENDS = { project: 'integration', pattern: `${RENDERING}/automation-sends` } as const;

/** Mutants of the rules for texts that name the event and the run of an automation. */
export const AUTOMATION_TEXTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'every text may name an event',
    file: `${ENGINE}/variables.ts`,
    find: 'known.includes(root) ?',
    replace: 'VARIABLES.event.includes(root) ?',
    tests: AUTOMATION,
  },
  {
    name: 'what a loop calls event is the event',
    file: `${ENGINE}/variables.ts`,
    find: 'if (loops.has(root) || hidden.has(root)) continue;',
    replace: 'if (hidden.has(root)) continue;',
    tests: AUTOMATION,
  },
  {
    name: 'behind a loop its names are its own',
    file: `${ENGINE}/variables.ts`,
    find: 'repeated.has(child) ? own : loops',
    replace: 'repeated.size > 0 ? own : loops',
    tests: AUTOMATION,
  },
  {
    name: 'what is assigned as event is the event',
    file: `${ENGINE}/variables.ts`,
    find: "return ['event', 'run'].filter((name) => assigned.has(name));",
    replace: "return ['event', 'run'].filter((name) => assigned.has(name) && name === '');",
    tests: AUTOMATION,
  },
  {
    name: 'a text sees an event that it hides',
    file: `${ENGINE}/render-text.ts`,
    find: 'hidden.length === 0',
    replace: 'hidden.length >= 0',
    tests: AUTOMATION,
  },
  {
    name: 'the attributes of an event may be shown as a whole',
    file: `${ENGINE}/variables.ts`,
    find: 'return field === ATTRIBUTES[root] && path.length === 2 && isWhole',
    replace: 'return field === TEMPLATE_ATTRIBUTES && path.length === 2 && isWhole',
    tests: AUTOMATION,
  },
  {
    name: 'a push sends a template of an automation',
    file: `${RENDERING}/find-templates.ts`,
    find: 'else if (!mayName(textOf, await automationNames(applicationId, template)))',
    replace: 'else if (bytes < 0)',
    tests: AUTOMATED,
  },
  {
    name: 'variants may name an event',
    file: `${RENDERING}/automation-names.ts`,
    find: '[message, ...variants.map((variant) => variant.message)]',
    replace: '[message, ...variants.flatMap(() => [])]',
    tests: AUTOMATED,
  },
  {
    name: 'any text with the word names an event',
    file: `${RENDERING}/automation-names.ts`,
    find: '  return new Set(ALLOWED.event.filter((name) => roots.has(name)));',
    replace: '  return new Set(ALLOWED.event.filter(() => roots.size >= 0));',
    tests: AUTOMATED,
  },
  {
    name: 'a personalised push may name an event',
    file: `${INTAKE}/push-templates.ts`,
    find: "textOf: 'push',",
    replace: "textOf: 'event',",
    tests: AUTOMATED,
  },
  {
    name: 'an automation without an event may name one',
    file: `${RENDERING}/automation-names.ts`,
    find: "run: ['run'],",
    replace: "run: ['event', 'run'],",
    tests: SENDS,
  },
  {
    name: 'recipients of an automation have the event of the first',
    file: `${RENDERING}/render-campaign.ts`,
    find: 'context: contexts.get(id)',
    replace: 'context: [...contexts.values()][0]',
    tests: SENDS,
  },
  {
    name: 'a message is rendered again with the event of now',
    file: `${RENDERING}/render-campaign.ts`,
    find: 'users.set(id, filledUser(id, filling));',
    replace: 'users.set(id, { ...filledUser(id, filling), context: contexts.get(id) });',
    tests: SENDS,
  },
  {
    name: 'the event of a message is not recorded',
    file: `${LIQUID}/filling.ts`,
    find: 'if (ofEvent !== null && isShown(event))',
    replace: 'if (ofEvent !== null && isShown(run) && !isShown(run))',
    tests: RECORDED,
  },
  {
    name: 'the run of a message is not recorded',
    file: `${LIQUID}/filling.ts`,
    find: 'if (context !== undefined && isShown(run))',
    replace: 'if (context === null)',
    tests: RECORDED,
  },
  {
    name: 'attributes of an event that a message does not show are recorded',
    file: `${LIQUID}/filling.ts`,
    find: 'else attributes.add(key);',
    replace: "else if (of === 'event') isAny = true;\n    else attributes.add(key);",
    tests: RECORDED,
  },
  {
    name: 'an event that is recorded is not filled in again',
    file: `${LIQUID}/filling.ts`,
    find: 'context: filledContext({ event, run }),',
    replace: '',
    tests: RECORDED,
  },
];
