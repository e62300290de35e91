/** The mark of the page in its tab: a wave that breaks off. Where something went wrong, a point says so. */

const GROUND = '#4a2fbd';
const LINE = '#ffffff';
const BAD = '#ff5c7f';

/** The mark as a drawing, 16 by 16. */
export function markOf(trouble: boolean): string {
  const parts = [
    `<rect width="16" height="16" rx="3.5" fill="${GROUND}"/>`,
    `<path d="M2.5 9.5c1.6-6 3.4-6 4.6-1.2S9.6 13 10.6 8.5" stroke="${LINE}" fill="none" stroke-width="1.8" stroke-linecap="round"/>`,
    `<circle cx="12.6" cy="4" r="${trouble ? 3.4 : 1.5}" fill="${BAD}"/>`,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${parts.join('')}</svg>`;
}

/** The mark as the address of an icon. */
export function iconOf(trouble: boolean): string {
  return `data:image/svg+xml,${encodeURIComponent(markOf(trouble))}`;
}
