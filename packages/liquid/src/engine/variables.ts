import { TEMPLATE_ATTRIBUTES, TEMPLATE_USER_FIELDS } from '@tidings/contracts/push/templates';
import { Output, TypeGuards, Value, type Tag, type Template, type Token } from 'liquidjs';
import { TextFault } from './text-fault.ts';

/** A variable that a template uses. */
export type TemplateVariable = {
  /** As written: `user.customAttributes.plan`. */
  readonly name: string;
  /** Its place in the data; shorter when a part of it is computed. */
  readonly path: readonly string[];
  /** No default replaces it: without it the message is not rendered. */
  readonly isRequired: boolean;
};

/** Fields of the variables besides `user`. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  user: [...TEMPLATE_USER_FIELDS, TEMPLATE_ATTRIBUTES],
  campaign: ['id'],
};

type Use = { readonly path: readonly string[]; readonly isWhole: boolean; readonly token: Token };

/**
 * The variables of a template, by name. `assign`, `capture` and `for` make names of their own.
 * @throws TextFault for a variable that does not exist
 */
export function listVariables(templates: readonly Template[]): TemplateVariable[] {
  const all = flatten(templates);
  const locals = new Set(all.flatMap(localNames));
  const found = new Map<string, TemplateVariable>();
  for (const node of all) {
    for (const { token, isRequired } of argumentsOf(node)) {
      for (const use of usesInToken(token)) {
        const isOwn = locals.has(use.path[0] ?? '');
        // A name of its own may be that of a variable, which it hides in some places alone.
        if (isOwn && faultOf(use) !== null) continue;
        checkExists(use);
        const name = use.path.join('.');
        const isNeeded = isRequired && use.isWhole && !isOwn;
        const known = found.get(name);
        if (known === undefined || (isNeeded && !known.isRequired))
          found.set(name, { name, path: use.path, isRequired: isNeeded });
      }
    }
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Every node of a template, with those inside of blocks. */
export function flatten(templates: readonly Template[]): Template[] {
  return templates.flatMap((node) => {
    const children = node.children?.(false, true);
    const { value } = children?.next() ?? {};
    return [node, ...flatten(Array.isArray(value) ? (value as Template[]) : [])];
  });
}

function localNames(node: Template): string[] {
  return [
    ...(node.blockScope?.() ?? []),
    ...[...(node.localScope?.() ?? [])].map(({ content }) => content),
  ];
}

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

type Argument = { readonly token: Token; readonly isRequired: boolean };

/**
 * Conditions are false without a value. Outputs, lists and arguments of filters need one, unless a
 * default comes first.
 */
function argumentsOf(node: Template): Argument[] {
  const isRead = node instanceof Output || ['assign', 'for'].includes((node as Tag).name);
  return [...(node.arguments?.() ?? [])].flatMap((argument): Argument[] => {
    if (!(argument instanceof Value)) return [{ token: argument as Token, isRequired: isRead }];
    const { initial, filters } = argument;
    const isRequired = isRead && filters[0]?.name !== 'default';
    return [
      ...initial.postfix.map((token) => ({ token, isRequired })),
      ...filters.flatMap(({ name, args }) =>
        args.flatMap((arg) => {
          const token = Array.isArray(arg) ? arg[1] : arg;
          return token === undefined ? [] : [{ token, isRequired: name !== 'default' }];
        }),
      ),
    ];
  });
}

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

function checkExists(use: Use): void {
  const expected = faultOf(use);
  if (expected !== null) throw new TextFault('unknown_variable', expected, use.token);
}

/** What is expected in the place of a variable that does not exist; null: it exists. */
function faultOf({ path, isWhole }: Use): string | null {
  const [root = '', field] = path;
  const fields = Object.hasOwn(FIELDS, root) ? FIELDS[root] : undefined;
  if (fields === undefined) return `one of ${Object.keys(FIELDS).join(', ')}`;
  if (field === undefined || !fields.includes(field)) return `${root} and one of its fields`;
  return field === TEMPLATE_ATTRIBUTES && path.length === 2 && isWhole
    ? `user.${TEMPLATE_ATTRIBUTES} and a key`
    : null;
}
