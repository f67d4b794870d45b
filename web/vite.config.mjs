// `npm run build` bundles the dashboard into `dist`. services/api serves it from there.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: dirname(fileURLToPath(import.meta.url)),
  base: '/dashboard/',
  plugins: [
    react(),
    // The dashboard's own texts are English.
    { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' },
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // size.mjs reads the manifest to find the scripts of the first page.
    manifest: 'manifest.json',
    // The content security policy forbids inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
  },
  server: {
    // `npm run dev` next to `npm start`: pages reload on every change and call the running service.
    proxy: { '/api': { target: 'http://127.0.0.1:8080' } },
  },
});
