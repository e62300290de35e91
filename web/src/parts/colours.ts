/** The page's colours for a canvas, which knows no CSS variables. */

/** Colours by the names of their tokens, `accent` for `--accent`, as they are now, in light or dark. */
export function readColours<Name extends string>(within: HTMLElement, names: readonly Name[]): Record<Name, string> {
  const probe = document.createElement('span');
  within.append(probe);
  const found = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(found) as Record<Name, string>;
}

/** Calls when light becomes dark or the other way round; the function that is returned ends it. */
export function onThemeChange(changed: () => void): () => void {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const chosen = new MutationObserver(changed);
  system.addEventListener('change', changed);
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', changed);
    chosen.disconnect();
  };
}
