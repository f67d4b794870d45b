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
  /** The folder of its file below `docs`, as `guides`; empty: none. */
  readonly folder: string;
  readonly render: () => Html;
};

/** All documents, by path; none where the folder is missing. */
export function readGuides(dir: string = DOCUMENTS_DIR): readonly Guide[] {
  if (!existsSync(dir)) return [];
  const files = readdirSync(dir, { recursive: true })
    .map((name) => String(name).split(sep).join('/'))
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  const known = new Set(files);
  return files.map((file) => {
    const source = readFileSync(join(dir, file), 'utf8');
    return {
      path: pathOf(file),
      title: titleOf(source) ?? file,
      folder: folderOf(file),
      render: () => renderMarkdown(source, (href) => targetOf(href, file, known)),
    };
  });
}

/** `guides/README.md` is the page of its folder; that of all documents must not take the place of the overview. */
function pathOf(file: string): string {
  if (file === 'README.md') return 'documents';
  return file.replace(/\.md$/, '').replace(/(^|\/)README$/, '');
}

/** That of an index is the one above: it stands for its folder there. */
function folderOf(file: string): string {
  const folder = posix.dirname(file.replace(/\/README\.md$/, ''));
  return folder === '.' ? '' : folder;
}

function titleOf(source: string): string | undefined {
  return /^# (.+)$/m.exec(source)?.[1]?.replaceAll('`', '');
}

/** Where a link of `file` leads below `/docs`. What is outside the folder has no page there. */
function targetOf(href: string, file: string, known: ReadonlySet<string>): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(file), path));
  const hash = fragment === undefined ? '' : `#${fragment}`;
  if (PICTURE.test(target) && !target.startsWith('..')) return `/docs/${target}`;
  if (known.has(target)) return `/docs/${pathOf(target)}${hash}`;
  const index = posix.join(target, 'README.md');
  return known.has(index) ? `/docs/${pathOf(index)}${hash}` : undefined;
}
