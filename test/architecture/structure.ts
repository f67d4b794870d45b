import { isTest, packageOf, workspacePackage, type SourceFile } from './source-files.ts';

/** A workspace package as its source describes it; `lines` counts formatted product code. */
export type PackageFacts = {
  readonly name: string;
  readonly lines: number;
  readonly files: number;
  readonly imports: readonly string[];
  readonly importedBy: readonly string[];
};

const isProduct = (file: SourceFile): boolean =>
  /^(packages|services|deploy|web)\//.test(file.path) &&
  !isTest(file) &&
  /\.(ts|tsx)$/.test(file.path) &&
  !file.path.endsWith('.d.ts');

const countLines = ({ text }: Pick<SourceFile, 'text'>): number => text.split('\n').length - 1;

/** Listed separately: this code runs in browsers. */
const PARTS = ['web', 'services/client-api/browser-sdk'] as const;

const partOf = (path: string): string =>
  PARTS.find((part) => path.startsWith(`${part}/`)) ?? packageOf(path);

/** All packages, by name. */
export function readStructure(files: readonly SourceFile[]): PackageFacts[] {
  const product = files.filter(isProduct);
  const names = [...new Set(product.map(({ path }) => partOf(path)))].toSorted();
  const listImports = (name: string): string[] =>
    [
      ...new Set(
        product
          .filter(({ path }) => partOf(path) === name)
          .flatMap((file) => file.imports.flatMap(({ from }) => workspacePackage(from) ?? [])),
      ),
    ]
      .filter((imported) => imported !== name)
      .toSorted();
  const imports = new Map(names.map((name) => [name, listImports(name)]));
  return names.map((name) => {
    const own = product.filter(({ path }) => partOf(path) === name);
    return {
      name,
      files: own.length,
      lines: own.reduce((sum, file) => sum + countLines(file), 0),
      imports: imports.get(name) ?? [],
      importedBy: names.filter((other) => imports.get(other)?.includes(name)),
    };
  });
}

/** Product lines of each folder directly below `parent`, a path like `services/api/src`. */
export function linesByFolder(files: readonly SourceFile[], parent: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const file of files.filter((one) => isProduct(one) && one.path.startsWith(`${parent}/`))) {
    const [folder = ''] = file.path.slice(`${parent}/`.length).split('/');
    lines.set(folder, (lines.get(folder) ?? 0) + countLines(file));
  }
  return lines;
}
