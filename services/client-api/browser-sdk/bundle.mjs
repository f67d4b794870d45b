// Makes of the sources what browsers get: `npm run --silent bundle` writes it to `dist`, where the service reads it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';

const SOURCE_DIR = dirname(fileURLToPath(import.meta.url));
const DIST_DIR = join(SOURCE_DIR, 'dist');

/** The files by name, as texts. */
export function bundleBrowserSdk() {
  const frame = minified('frame/main.ts');
  const page = readFileSync(join(SOURCE_DIR, 'frame', 'frame.html'), 'utf8');
  return {
    'sdk.js': minified('page/main.ts'),
    'sw.js': minified('worker/main.ts'),
    'frame.html': page
      .replaceAll(/>\s+</g, '><')
      .replace(/(?<=<style>)[^<]*/, minifiedCss)
      .replace(/\s*\/\*main\*\/\s*/, () => frame.trim().replaceAll('</', '<\\/')),
    'tidings.d.ts': readFileSync(join(SOURCE_DIR, 'tidings.d.ts'), 'utf8'),
  };
}

/** One script, for browsers since 2022. */
function minified(entry) {
  const { outputFiles } = buildSync({
    entryPoints: [join(SOURCE_DIR, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    define: {
      CARD_CSS: JSON.stringify(
        minifiedCss(readFileSync(join(SOURCE_DIR, 'page/inbox/card.css'), 'utf8')),
      ),
    },
    logLevel: 'silent',
  });
  return outputFiles[0].text;
}

/** esbuild leaves the value of a custom property as it is written, spaces too. */
function minifiedCss(css) {
  const { code } = transformSync(css, { loader: 'css', minify: true });
  return code.trim().replaceAll(/(--[\w-]+):\s+/g, '$1:');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(DIST_DIR, { recursive: true });
  for (const [name, text] of Object.entries(bundleBrowserSdk()))
    writeFileSync(join(DIST_DIR, name), text);
}
