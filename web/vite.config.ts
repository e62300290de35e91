/** The page's build: one bundle with relative addresses, so that it can lie below any prefix. */
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  plugins: [preact()],
  // The server puts a nonce there: styles that libraries make need it.
  html: { cspNonce: 'TENSORDBG_NONCE' },
  build: {
    outDir: '../src/tensordbg/server/page',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
  logLevel: 'warn',
  // While the page is worked on: `tdbg view --no-browser --port 8000 TRACE`, then `npm run dev`.
  server: { proxy: { '/api': 'http://127.0.0.1:8000' } },
});
