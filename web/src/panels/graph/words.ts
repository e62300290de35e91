/** The graph in words: names, signs, labels of edges, and what a screen reader is told. */
import type { EdgeView, NodeView } from '../../api/types';
import { counted, shape } from '../../parts/numbers';

/** What an operation is; of an argument that alone, whatever the framework makes of it. */
export function typeWords(node: NodeView): string {
  return node.argument ? 'argument' : node.op_type;
}

/** Name of an operation, and where it has another one in the program's text that before it. */
export function fullName({ name, title }: NodeView): string {
  return name === title || name.endsWith(`/${title}`) ? name : `${title} (${name})`;
}

/** Shows health without colour. */
export const SIGNS: Readonly<Record<string, string>> = {
  bad: '!',
  bad_elsewhere: '(!)',
  fine: '✓',
  unmeasured: '–',
  unrecorded: '?',
};

const HEALTH: Readonly<Record<string, string>> = {
  bad: 'not finite',
  bad_elsewhere: 'finite here, not finite in another execution',
  fine: 'finite',
  unmeasured: 'not measured',
  unrecorded: 'not recorded',
};

/** Health in words. */
export function healthWords(health: string): string {
  return HEALTH[health] ?? health;
}

/** What an edge carries, for little room: `:0 [100, 10] float32`. */
export function edgeLabel(edge: EdgeView, source: NodeView | undefined): string {
  const known = source?.shapes[edge.slot];
  const parts = [`:${edge.slot}`, known === undefined ? '' : shape(known), source?.dtypes[edge.slot] ?? ''];
  return parts.filter(Boolean).join(' ');
}

/** The same in full. */
export function edgeWords(edge: EdgeView, source: NodeView | undefined, target: NodeView | undefined): string {
  const from = `output ${edge.slot} of ${source?.title ?? edge.source}`;
  const to = `input ${edge.input} of ${target?.title ?? edge.target}`;
  return `${from} to ${to}, ${edgeLabel(edge, source).replace(/^:\d+ ?/, '') || 'of unknown type'}${edge.bad ? ', not finite' : ''}`;
}

/** Shapes and types of what an operation computes: `[100, 10] float32`. */
export function outputsOf(node: NodeView): readonly string[] {
  return node.dtypes.map((dtype, slot) => `${shape(node.shapes[slot])} ${dtype}`);
}

/** What a node is, in one line. */
export function nodeWords(node: NodeView, centre: string): string {
  const marks = [
    node.node === centre ? 'the chosen operation' : '',
    node.origin ? 'the origin of the trouble' : '',
    node.calls.length ? `calls ${node.calls.join(', ')}, ${node.opened ? 'opened' : 'closed'}` : '',
    node.hidden_inputs ? `${counted(node.hidden_inputs, 'more input')} not shown` : '',
    node.hidden_consumers ? `${counted(node.hidden_consumers, 'more consumer')} not shown` : '',
  ].filter(Boolean);
  return [`${typeWords(node)} ${fullName(node)}`, healthWords(node.health), ...marks].join(', ');
}

/** The end of a text that has so much room. */
export function clipped(text: string, width: number): string {
  const most = Math.max(Math.floor((width - 12) / 6.2), 4);
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
}
