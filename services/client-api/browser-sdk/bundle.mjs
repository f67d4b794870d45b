// Bundles the browser SDK: `npm run --silent bundle` writes it to `dist`, from where the service serves it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';

const SOURCE_DIR = dirname(fileURLToPath(import.meta.url));
const DIST_DIR = join(SOURCE_DIR, 'dist');

/** The bundled files by name. */
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

/** One minified script for browsers since 2022. */
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

/** Minifies CSS. esbuild keeps spaces in the values of custom properties; remove them. */
function minifiedCss(css) {
  const { code } = transformSync(css, { loader: 'css', minify: true });
  return code.trim().replaceAll(/(--[\w-]+):\s+/g, '$1:');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(DIST_DIR, { recursive: true });
  for (const [name, text] of Object.entries(bundleBrowserSdk()))
    writeFileSync(join(DIST_DIR, name), text);
}
