// Makes of the sources what browsers get: `npm run build` writes it to `dist`, where services/api reads it.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: dirname(fileURLToPath(import.meta.url)),
  base: '/dashboard/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // For size.mjs: what the first page loads.
    manifest: 'manifest.json',
    // The content security policy takes nothing that stands inside a page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
  },
  server: {
    // `npm run dev` beside `npm start`: pages reload while they are written, data comes from the running service.
    proxy: { '/api': { target: 'http://127.0.0.1:8080' } },
  },
});
