/** The colours and the type of the timeline's canvas. */
import { readColours } from '../../parts/colours';

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
  const sans = getComputedStyle(within).getPropertyValue('--sans').trim();
  return { ...readColours(within, NAMES), sans };
}
