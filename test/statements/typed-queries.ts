import {
  isCallExpression,
  isPropertyAccessExpression,
  type CallExpression,
  type Node,
} from 'typescript/unstable/ast';
import { API, SymbolFlags, TypeFlags, type Project, type Type } from 'typescript/unstable/sync';
import { join, relative } from 'node:path';
import { ROOT_DIR } from '../architecture/source-files.ts';
import type { ValueKind } from './describe-columns.ts';
import { createTextFinder, type QueryText } from './query-texts.ts';

const ABSENT = TypeFlags.Null | TypeFlags.Undefined;

/** A field of a row type. */
export type RowField = {
  readonly name: string;
  /** Kinds of its values; null for any. */
  readonly kinds: readonly ValueKind[] | null;
  readonly mayBeNull: boolean;
  /** A row type of several statements has fields that only some of them give. */
  readonly isOptional: boolean;
};

/** A call `sql.query<Row>(text)`. */
export type TypedQuery = {
  readonly place: string;
  readonly texts: readonly QueryText[];
  readonly row: readonly RowField[];
  /** The same for all queries with this row type. */
  readonly rowType: string;
};

/** The typed queries of product code, read by the compiler. */
export function readTypedQueries(): TypedQuery[] {
  const api = new API({ cwd: ROOT_DIR });
  try {
    const config = join(ROOT_DIR, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error('the compiler has no project');
    const textsOf = createTextFinder(project);
    return callsIn(project).map(({ place, call, row }) => ({
      place,
      texts: call.arguments.slice(0, 1).flatMap(textsOf),
      row: fieldsOf(row, project),
      rowType: String(row.id),
    }));
  } finally {
    api.close();
  }
}

function callsIn(project: Project) {
  const found: { readonly place: string; readonly call: CallExpression; readonly row: Type }[] = [];
  for (const name of project.program.getSourceFileNames()) {
    const path = relative(ROOT_DIR, name);
    if (!/^(packages|services)\/[\w-]+\/src\//.test(path) || /\.test\.ts$|\/testing\//.test(path))
      continue;
    const file = project.program.getSourceFile(name);
    const visit = (node: Node): void => {
      const row = rowTypeOf(node, project);
      if (row !== undefined) {
        const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
        found.push({ place: `${path}:${line + 1}`, call: node as CallExpression, row });
      }
      node.forEachChild(visit);
    };
    file?.forEachChild(visit);
  }
  return found;
}

function rowTypeOf(node: Node, { checker }: Project): Type | undefined {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return undefined;
  const [row] = node.typeArguments ?? [];
  return node.expression.name.text === 'query' && row !== undefined
    ? checker.getTypeFromTypeNode(row)
    : undefined;
}

/** The fields of a row type; of a union those of each member. */
function fieldsOf(row: Type, { checker }: Project): RowField[] {
  const members = row.isUnionType() ? row.getTypes() : [row];
  const types = Map.groupBy(
    members.flatMap((member) => checker.getPropertiesOfType(member)),
    ({ name }) => name,
  );
  return [...types].map(([name, properties]) => {
    const values = properties.flatMap((property) => {
      const type = checker.getTypeOfSymbol(property);
      if (type === undefined) throw new Error(`${name} has no type`);
      return type.isUnionType() ? type.getTypes() : [type];
    });
    const kinds = values.filter(({ flags }) => (flags & ABSENT) === 0).map(kindOf);
    return {
      name,
      kinds: kinds.includes(null) ? null : [...new Set(kinds as ValueKind[])],
      mayBeNull: values.some(({ flags }) => (flags & (TypeFlags.Null | TypeFlags.Unknown)) !== 0),
      isOptional:
        properties.length < members.length ||
        properties.some(({ flags }) => (flags & SymbolFlags.Optional) !== 0),
    };
  });

  function kindOf(type: Type): ValueKind | null {
    if ((type.flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0) return null;
    if ((type.flags & TypeFlags.StringLike) !== 0) return 'string';
    if ((type.flags & TypeFlags.NumberLike) !== 0) return 'number';
    if ((type.flags & TypeFlags.BooleanLike) !== 0) return 'boolean';
    if (checker.isArrayLikeType(type)) return 'array';
    const name = type.getSymbol()?.name;
    if (name === 'Uint8Array') return 'Buffer';
    return name === 'Date' || name === 'Buffer' ? name : 'json';
  }
}
