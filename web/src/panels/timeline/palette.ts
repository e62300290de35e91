/** The page's colours for a canvas, which knows no CSS variables. */

const NAMES = [
  'ground',
  'panel',
  'raised',
  'line',
  'text',
  'muted',
  'accent',
  'accent-ground',
  'bad',
  'bad-ground',
  'warn',
  'warn-ground',
  'fine',
  'fine-ground',
  'zero',
] as const;

export type Colour = (typeof NAMES)[number];
export type Palette = Readonly<Record<Colour, string>> & { readonly sans: string };

/** The colours as they are now, in light or dark. */
export function readPalette(within: HTMLElement): Palette {
  const probe = document.createElement('span');
  within.append(probe);
  const colours = NAMES.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.style.fontFamily = 'var(--sans)';
  const sans = getComputedStyle(probe).fontFamily;
  probe.remove();
  return { ...(Object.fromEntries(colours) as Record<Colour, string>), sans };
}

/** Calls when light becomes dark or the other way round; the function that is returned ends it. */
export function onTheme(changed: () => void): () => void {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const chosen = new MutationObserver(changed);
  system.addEventListener('change', changed);
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', changed);
    chosen.disconnect();
  };
}
