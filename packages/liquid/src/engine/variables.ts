import {
  TEMPLATE_ATTRIBUTES,
  TEMPLATE_EVENT_ATTRIBUTES,
  TEMPLATE_EVENT_FIELDS,
  TEMPLATE_RUN_FIELDS,
  TEMPLATE_USER_FIELDS,
} from '@tidings/contracts/push/templates';
import { ForTag, Output, TypeGuards, Value, type Tag, type Template, type Token } from 'liquidjs';
import { ARITHMETIC } from './arithmetic.ts';
import type { TextOf } from './parse-options.ts';
import { TextFault } from './text-fault.ts';

/** A variable that a template uses. */
export type TemplateVariable = {
  /** As written: `user.customAttributes.plan`. */
  readonly name: string;
  /** Its place in the data; shorter when a part of it is computed. */
  readonly path: readonly string[];
  /** No default replaces it: without it the message is not rendered. */
  readonly isRequired: boolean;
  /** A filter calculates with it. */
  readonly isNumber: boolean;
};

/** The fields of the variables. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  user: [...TEMPLATE_USER_FIELDS, TEMPLATE_ATTRIBUTES],
  campaign: ['id'],
  run: TEMPLATE_RUN_FIELDS,
  event: [...TEMPLATE_EVENT_FIELDS, TEMPLATE_EVENT_ATTRIBUTES],
};

/** Of variables whose fields the application defines in part: the field that has these. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  user: TEMPLATE_ATTRIBUTES,
  event: TEMPLATE_EVENT_ATTRIBUTES,
};

const OF_USER = ['user', 'campaign'];
const VARIABLES: Readonly<Record<TextOf, readonly string[]>> = {
  push: OF_USER,
  run: [...OF_USER, 'run'],
  event: [...OF_USER, 'event', 'run'],
};
const WHY_NOT: Readonly<Record<TextOf, string>> = {
  push: ': an automation alone has an event and a run',
  run: ': the trigger has no event',
  event: '',
};

type Use = { readonly path: readonly string[]; readonly isWhole: boolean; readonly token: Token };

/**
 * The variables of a template, by name. `assign`, `capture` and `for` make names of their own.
 * @throws TextFault for a variable that does not exist, or not in such a text
 */
export function listVariables(
  templates: readonly Template[],
  textOf: TextOf = 'event',
): TemplateVariable[] {
  const locals = localsOf(templates);
  const hidden = new Set(hiddenVariables(templates));
  const found: TemplateVariable[] = [];
  for (const { node, loops } of flattenLoops(templates, NO_NAMES)) {
    for (const { token, isRequired, isNumber } of argumentsOf(node)) {
      for (const use of usesInToken(token)) {
        const [root = ''] = use.path;
        if (loops.has(root) || hidden.has(root)) continue;
        const isOwn = locals.has(root);
        // A name of its own may be that of a variable, which it hides in some places alone.
        if (isOwn && faultOf(use, 'event') !== null) continue;
        checkExists(use, textOf);
        const name = use.path.join('.');
        const isNeeded = isRequired && use.isWhole && !isOwn;
        found.push({ name, path: use.path, isRequired: isNeeded, isNumber });
      }
    }
  }
  return mergeVariables(found);
}

/** Each variable once, by name; required where it is required once. */
export function mergeVariables(all: readonly TemplateVariable[]): TemplateVariable[] {
  const merged = new Map<string, TemplateVariable>();
  for (const variable of all) {
    const known = merged.get(variable.name);
    merged.set(variable.name, {
      ...variable,
      isRequired: variable.isRequired || known?.isRequired === true,
      isNumber: variable.isNumber || known?.isNumber === true,
    });
  }
  return [...merged.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Variables of automations that a text does not see, since it gives their names to values of its own:
 * texts did so before there were automations.
 */
export function hiddenVariables(templates: readonly Template[]): string[] {
  const assigned = new Set(flatten(templates).flatMap(assignedNames));
  return ['event', 'run'].filter((name) => assigned.has(name));
}

type Looped = { readonly node: Template; readonly loops: ReadonlySet<string> };
const NO_NAMES: ReadonlySet<string> = new Set();

/** Every node with the names of the loops that it is in. */
function flattenLoops(templates: readonly Template[], loops: ReadonlySet<string>): Looped[] {
  return templates.flatMap((node) => {
    const repeated = new Set(node instanceof ForTag ? node.templates : []);
    const own = repeated.size === 0 ? loops : new Set([...loops, ...(node.blockScope?.() ?? [])]);
    return [
      { node, loops },
      ...childrenOf(node).flatMap((child) =>
        flattenLoops([child], repeated.has(child) ? own : loops),
      ),
    ];
  });
}

/** Every node of a template, with those inside of blocks. */
export function flatten(templates: readonly Template[]): Template[] {
  return templates.flatMap((node) => [node, ...flatten(childrenOf(node))]);
}

function childrenOf(node: Template): readonly Template[] {
  const { value } = node.children?.(false, true).next() ?? {};
  return Array.isArray(value) ? (value as Template[]) : [];
}

const localNames = (node: Template): string[] => [
  ...(node.blockScope?.() ?? []),
  ...assignedNames(node),
];

const assignedNames = (node: Template): string[] =>
  [...(node.localScope?.() ?? [])].map(({ content }) => content);

/** The name of the variable that an output shows; undefined for other values and own names. */
export function shownVariable({ initial }: Value, locals: ReadonlySet<string>): string | undefined {
  const [token] = initial.postfix;
  if (token === undefined) return undefined;
  const [use] = usesInToken(token);
  const isOwn = use === undefined || locals.has(use.path[0] ?? '');
  return isOwn ? undefined : use.path.join('.');
}

export const localsOf = (templates: readonly Template[]): ReadonlySet<string> =>
  new Set(flatten(templates).flatMap(localNames));

type Argument = {
  readonly token: Token;
  readonly isRequired: boolean;
  readonly isNumber: boolean;
};

/**
 * Conditions are false without a value. Outputs, lists and arguments of filters need one, unless a
 * default comes first.
 */
function argumentsOf(node: Template): Argument[] {
  const isRead = node instanceof Output || ['assign', 'for'].includes((node as Tag).name);
  return [...(node.arguments?.() ?? [])].flatMap((argument): Argument[] => {
    if (!(argument instanceof Value))
      return [{ token: argument as Token, isRequired: isRead, isNumber: false }];
    const { initial, filters } = argument;
    const isRequired = isRead && filters[0]?.name !== 'default';
    const isNumber = filters.some(({ name }) => isCalculating(name));
    return [
      ...initial.postfix.map((token) => ({ token, isRequired, isNumber })),
      ...filters.flatMap(({ name, args }) =>
        args.flatMap((arg) => {
          const token = Array.isArray(arg) ? arg[1] : arg;
          if (token === undefined) return [];
          return [{ token, isRequired: name !== 'default', isNumber: isCalculating(name) }];
        }),
      ),
    ];
  });
}

const isCalculating = (filter: string): boolean => Object.hasOwn(ARITHMETIC, filter);

/** The tokens of the expressions of a node, without those of nodes inside of it. */
export const listTokens = (node: Template): Token[] => argumentsOf(node).map(({ token }) => token);

function usesInToken(token: Token): Use[] {
  if (TypeGuards.isRangeToken(token)) return [...usesInToken(token.lhs), ...usesInToken(token.rhs)];
  if (!TypeGuards.isPropertyAccessToken(token)) return [];
  // `("text").size`: of a literal.
  if (token.variable !== undefined) return [];
  const path: string[] = [];
  const nested: Use[] = [];
  let isWhole = true;
  for (const prop of token.props) {
    if ('content' in prop && isWhole) path.push(String(prop.content));
    else {
      isWhole = false;
      nested.push(...usesInToken(prop));
    }
  }
  return [{ path, isWhole, token }, ...nested];
}

function checkExists(use: Use, textOf: TextOf): void {
  const expected = faultOf(use, textOf);
  if (expected !== null) throw new TextFault('unknown_variable', expected, use.token);
}

/** What is expected in the place of a variable that does not exist; null: it exists. */
function faultOf({ path, isWhole }: Use, textOf: TextOf): string | null {
  const [root = '', field] = path;
  const known = VARIABLES[textOf];
  const fields = known.includes(root) ? FIELDS[root] : undefined;
  if (fields === undefined)
    return `one of ${known.join(', ')}${Object.hasOwn(FIELDS, root) ? WHY_NOT[textOf] : ''}`;
  if (field === undefined || !fields.includes(field)) return `${root} and one of its fields`;
  return field === ATTRIBUTES[root] && path.length === 2 && isWhole
    ? `${root}.${field} and a key`
    : null;
}
