/** The build of the saved page: the same page in one file, into which `tensordbg.report.saved_page.page` puts the answers. */
import preact from '@preact/preset-vite';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

/** Lets the page run its own script and nothing else, and load nothing from anywhere. */
function strictPolicy(): Plugin {
  return {
    name: 'strict-policy',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const page = bundle['saved.html'];
        if (page?.type !== 'asset') throw new Error('saved.html was not built');
        const html = String(page.source);
        const script = /<script type="module"[^>]*>([\s\S]*?)<\/script>/.exec(html)?.[1];
        if (!script) throw new Error('saved.html has no script of its own');
        const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script));
        const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
        const policy = [
          "default-src 'none'",
          `script-src 'sha256-${hash}'`,
          // CodeMirror makes its style sheets as it runs.
          "style-src 'unsafe-inline'",
          'img-src data:',
          'font-src data:',
          "base-uri 'none'",
          "form-action 'none'",
        ].join('; ');
        page.source = html.replace('{policy}', () => policy);
      },
    },
  };
}

export default defineConfig({
  logLevel: 'warn',
  plugins: [preact(), viteSingleFile(), strictPolicy()],
  build: {
    outDir: '../src/tensordbg/server/page',
    emptyOutDir: false,
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: 'saved.html' },
  },
});
