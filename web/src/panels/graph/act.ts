/** What one does with a node: choose it, open it, see more around it. */
import type { NodeView } from '../../api/types';
import { go, place } from '../../state/store';
import { moreOf } from './load';

/** Moves to what a node computed; where nothing was recorded of it, shows what it is. */
export function chooseNode(node: NodeView): void {
  if (node.event === null) go({ operation: place.value.operation === node.node ? '' : node.node }, 'replace');
  else go({ event: node.event, operation: '' });
}

/**
 * Opens a node that calls functions, or closes it again with all that was opened in it. What gives its results is shown
 * with it: at the edge of what is shown, nothing of its inside would be near enough.
 */
export function toggleCall(node: NodeView): void {
  const { opened } = place.value;
  if (!node.calls.length) return;
  const more = moreOf(node.node);
  const ofIt = (each: string): boolean =>
    each === node.node || each === more || each.startsWith(`${node.node}/`) || each.startsWith(`${more}/`);
  const others = opened.filter((each) => !ofIt(each));
  go({ opened: node.opened ? others : [...others, node.node, more] });
}

/** Shows all inputs and consumers of a node. */
export function showMore(node: NodeView): void {
  const { opened } = place.value;
  const more = moreOf(node.node);
  if (!opened.includes(more)) go({ opened: [...opened, more] });
}
