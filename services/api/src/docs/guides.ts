import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Html } from './html.ts';
import { renderMarkdown } from './markdown.ts';

/** The documents of the repository; the image has them too. */
export const DOCUMENTS_DIR = fileURLToPath(new URL('../../../../docs', import.meta.url));

/** Files that documents show. */
export const PICTURE = /\.(svg|png)$/;

/** A document of the repository as a page below `/docs`. */
export type Guide = {
  /** Its path below `/docs`: that of its file, without `.md`. */
  readonly path: string;
  readonly title: string;
  /** The first sentence of its first paragraph, as Markdown; empty: it begins with something else. */
  readonly summary: string;
  /** The folder of its file below `docs`, as `guides`; empty: none. */
  readonly folder: string;
  readonly render: () => Html;
};

/**
 * All documents, in the order in which the index (`README.md`) links them; those that it does not link come last, by path.
 * None where the folder is missing.
 */
export function readGuides(dir: string = DOCUMENTS_DIR): readonly Guide[] {
  if (!existsSync(dir)) return [];
  const files = readdirSync(dir, { recursive: true })
    .map((name) => String(name).split(sep).join('/'))
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  const known = new Set(files);
  return inOrderOfIndex(files, dir).map((file) => {
    const source = readFileSync(join(dir, file), 'utf8');
    return {
      path: toPath(file),
      title: findTitle(source) ?? file,
      summary: findSummary(source),
      folder: findFolder(file),
      render: () => renderMarkdown(source, (href) => findTarget(href, file, known)),
    };
  });
}

function inOrderOfIndex(files: readonly string[], dir: string): readonly string[] {
  if (!files.includes('README.md')) return files;
  const index = readFileSync(join(dir, 'README.md'), 'utf8');
  const places = new Map(files.map((file) => [file, index.indexOf(`(${file})`)]));
  const findPlace = (file: string): number => {
    const place = places.get(file) ?? -1;
    return place < 0 ? Infinity : place;
  };
  return files.toSorted((a, b) =>
    findPlace(a) === findPlace(b) ? 0 : findPlace(a) - findPlace(b),
  );
}

/** `guides/README.md` is the page of its folder; that of all documents must not take the place of the overview. */
function toPath(file: string): string {
  if (file === 'README.md') return 'documents';
  return file.replace(/\.md$/, '').replace(/(^|\/)README$/, '');
}

/** That of an index is the one above: it stands for its folder there. */
function findFolder(file: string): string {
  const folder = posix.dirname(file.replace(/\/README\.md$/, ''));
  return folder === '.' ? '' : folder;
}

function findTitle(source: string): string | undefined {
  return /^# (.+)$/m.exec(source)?.[1]?.replaceAll('`', '');
}

function findSummary(source: string): string {
  const paragraph = /^# .+\n+(?!```|[#|<!-])(.+)$/m.exec(source)?.[1] ?? '';
  return /^.+?[.:](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
}

/** Where a link of `file` leads below `/docs`. What is outside the folder has no page there. */
function findTarget(href: string, file: string, known: ReadonlySet<string>): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(file), path));
  const hash = fragment === undefined ? '' : `#${fragment}`;
  if (PICTURE.test(target) && !target.startsWith('..')) return `/docs/${target}`;
  if (known.has(target)) return `/docs/${toPath(target)}${hash}`;
  const index = posix.join(target, 'README.md');
  return known.has(index) ? `/docs/${toPath(index)}${hash}` : undefined;
}
