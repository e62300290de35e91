/** The columns of the table: what they are called, how wide they are, and by what the server sorts them. */

export interface Column {
  readonly name: string;
  readonly title: string;
  /** Said on hover, and when columns are chosen. */
  readonly about: string;
  /** In pixels. */
  readonly width: number;
  /** Key by which the server sorts; undefined where it can't. */
  readonly order?: string;
  /** Numbers stand at the right, and are sorted with the largest first. */
  readonly numeric?: boolean;
  readonly usual?: boolean;
}

export const COLUMNS: readonly Column[] = [
  { name: 'event', title: 'Event', about: 'Number of the tensor event', width: 84, order: 'event', usual: true },
  { name: 'tensor', title: 'Tensor', about: 'Name and output slot', width: 150, order: 'tensor', usual: true },
  { name: 'op', title: 'Operation', about: 'Type of the operation', width: 96, order: 'op', usual: true },
  {
    name: 'breakdown',
    title: 'Breakdown',
    about: 'Negative, zero, positive, −inf, +inf and NaN elements; sorted by how many are not finite',
    width: 150,
    order: 'nonfinite',
    usual: true,
  },
  { name: 'min', title: 'Min', about: 'Over the finite elements', width: 76, order: 'min', numeric: true, usual: true },
  {
    name: 'mean',
    title: 'Mean',
    about: 'Over the finite elements',
    width: 76,
    order: 'mean',
    numeric: true,
    usual: true,
  },
  { name: 'max', title: 'Max', about: 'Over the finite elements', width: 76, order: 'max', numeric: true, usual: true },
  {
    name: 'std',
    title: 'Std',
    about: 'Standard deviation of the finite elements',
    width: 76,
    order: 'std',
    numeric: true,
  },
  {
    name: 'step',
    title: 'Step',
    about: 'How often its function had run before',
    width: 64,
    order: 'step',
    numeric: true,
    usual: true,
  },
  { name: 'iteration', title: 'Iteration', about: 'Iteration of the loop', width: 72, numeric: true, usual: true },
  { name: 'shape', title: 'Shape', about: 'Shape of the tensor', width: 104, usual: true },
  { name: 'size', title: 'Size', about: 'How many elements', width: 80, order: 'size', numeric: true },
  { name: 'dtype', title: 'Type', about: 'Type of its elements', width: 70, usual: true },
  {
    name: 'function',
    title: 'Function',
    about: 'The graph that it belongs to',
    width: 120,
    order: 'function',
    usual: true,
  },
  {
    name: 'layer',
    title: 'Layer',
    about: 'The layer or module that it belongs to',
    width: 120,
    order: 'layer',
    usual: true,
  },
  { name: 'device', title: 'Device', about: 'Where it was computed', width: 72, usual: true },
  { name: 'source', title: 'Source', about: 'The line of your code that made the operation', width: 140 },
  { name: 'execution', title: 'Execution', about: 'The eager operation or function call', width: 84, numeric: true },
];

const USUAL = COLUMNS.filter((column) => column.usual).map((column) => column.name);
const NARROWEST = 40;

/** The columns of a link, in the order of the table; the usual ones where it names none that there are. */
export function chosenColumns(names: readonly string[]): readonly Column[] {
  const wanted = names.some((name) => COLUMNS.some((column) => column.name === name)) ? names : USUAL;
  return COLUMNS.filter((column) => wanted.includes(column.name));
}

/** What a link says of columns once one is shown or hidden; nothing for the usual ones. One always stays. */
export function toggled(names: readonly string[], name: string): readonly string[] {
  const shown = chosenColumns(names).map((column) => column.name);
  const next = shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name];
  if (next.length === 0) return shown;
  const inOrder = COLUMNS.map((column) => column.name).filter((each) => next.includes(each));
  return inOrder.join() === USUAL.join() ? [] : inOrder;
}

/** The order after a click on a column's head: first its own, then the other way around, then by event again. */
export function nextOrder(
  column: Column,
  now: { readonly order: string; readonly descending: boolean },
): { order: string; descending: boolean } {
  const order = column.order ?? 'event';
  const first = column.numeric === true || order === 'nonfinite';
  if (now.order !== order) return { order, descending: first };
  if (now.descending === first) return { order, descending: !first };
  return { order: 'event', descending: false };
}

/** Widths that somebody chose, by column. */
export type Widths = Readonly<Record<string, number>>;

/** What was kept as a text, `tensor:200 op:90`; what makes no sense is left out. */
export function readWidths(text: string | undefined): Widths {
  const found: Record<string, number> = {};
  for (const part of (text ?? '').split(' ')) {
    const [name = '', width] = part.split(':');
    const pixels = Number(width);
    if (COLUMNS.some((column) => column.name === name) && pixels >= NARROWEST && pixels < 5000) found[name] = pixels;
  }
  return found;
}

export function writeWidths(widths: Widths): string {
  return Object.entries(widths)
    .map(([name, width]) => `${name}:${width}`)
    .join(' ');
}

/** The widths once one is changed; never too narrow to be found again. */
export function withWidth(widths: Widths, name: string, width: number): Widths {
  return { ...widths, [name]: Math.max(NARROWEST, Math.round(width)) };
}

/** For `grid-template-columns`: columns that nobody sized share the room that is left. */
export function template(columns: readonly Column[], widths: Widths): string {
  const tracks = columns.map(({ name, width }) => {
    const own = widths[name];
    return own === undefined ? `minmax(${width}px, ${width}fr)` : `${own}px`;
  });
  return tracks.join(' ');
}

/** The least width of all columns together, in pixels. */
export function leastWidth(columns: readonly Column[], widths: Widths): number {
  return columns.reduce((sum, { name, width }) => sum + (widths[name] ?? width), 0);
}
