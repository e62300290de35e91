/** A whole graph in words: titles of boxes, labels of bundles, and what a screen reader is told. */
import type { BoxView, BundleView, WholeView } from '../../../api/types';
import { count, counted, shape } from '../../../parts/numbers';
import { healthWords } from '../words';

const PARTS: Readonly<Record<string, string>> = {
  cond: 'condition',
  body: 'body of the loop',
};

const KINDS: Readonly<Record<string, string>> = {
  call: 'call',
  part: 'part of a call',
  layer: 'layer',
  scope: 'name scope',
  arguments: 'arguments of the function',
  line: 'operations of one line',
  some: 'operations in a row',
};

/** What a box is called on its lid. */
export function boxTitle(box: BoxView): string {
  if (box.kind === 'call') return `ƒ ${box.label}`;
  if (box.kind === 'part') return PARTS[box.label] ?? box.label;
  return box.label;
}

/** How much is in it, and how much of that is not finite: `151 operations`, `3 of 151 not finite`. */
export function insideWords(box: BoxView): string {
  if (box.health === 'bad') return `${count(box.bad)} of ${count(box.operations)} not finite`;
  return counted(box.operations, 'operation');
}

/** What a box is, in one line. */
export function boxWords(box: BoxView): string {
  const kind = [KINDS[box.kind] ?? box.kind, box.op_type].filter(Boolean).join(' ');
  const parts = [
    `${box.label}, ${kind}`,
    counted(box.operations, 'operation'),
    box.bad ? `${count(box.bad)} of them ${healthWords(box.health)}` : healthWords(box.health),
    box.origin ? 'the trouble began inside' : '',
    box.opened ? 'open' : 'closed',
  ];
  return parts.filter(Boolean).join(', ');
}

/** What a bundle carries, for little room: `3 tensors`, `[100, 10] float32`. */
export function bundleLabel(bundle: BundleView): string {
  const bad = bundle.bad ? '! ' : '';
  if (bundle.tensors > 1) return `${bad}${counted(bundle.tensors, 'tensor')}`;
  return bad + [bundle.shape ? shape(bundle.shape) : '', bundle.dtype].filter(Boolean).join(' ');
}

/** The same in full. */
export function bundleWords(bundle: BundleView, named: (thing: string) => string): string {
  const from = bundle.source ? named(bundle.source) : 'outside of the box';
  const to = bundle.target ? named(bundle.target) : 'outside of the box';
  const more = bundle.tensors - bundle.names.length;
  const names = [...bundle.names, ...(more > 0 ? [`and ${count(more)} more`] : [])].join('\n');
  const label = bundleLabel(bundle).replace(/^! /, '') || 'one tensor';
  return `From ${from} to ${to}: ${label}${bundle.bad ? ', not finite' : ''}\n${names}`;
}

/** What the whole drawing is, for a screen reader. */
export function wholeWords(view: WholeView): string {
  const bad = view.bad ? `, ${count(view.bad)} not finite` : '';
  return `${view.name}, ${counted(view.operations, 'operation')}${bad}; ${counted(view.boxes.length, 'box', 'boxes')} and ${counted(view.nodes.length, 'operation')} shown. Arrow up: to what it takes. Arrow down: to what takes its result, or into an open box. Enter: open or close a box, choose an operation.`;
}
