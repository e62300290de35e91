/** The graph as a list: what the chosen operation was computed from and what took its result, step by step. */
import type { EdgeView, NodeView } from '../../api/types';
import { chooseNode } from './act';
import type { Neighbourhood } from './neighbourhood';
import { edgeLabel, fullName, nodeWords, SIGNS, typeWords } from './words';

interface Direction {
  readonly from: 'source' | 'target';
  readonly to: 'source' | 'target';
  readonly nothing: string;
}

const UP: Direction = { from: 'target', to: 'source', nothing: 'It has no inputs.' };
const DOWN: Direction = { from: 'source', to: 'target', nothing: 'Nothing takes its result.' };

export function GraphList({ shown }: { readonly shown: Neighbourhood }) {
  const centre = shown.nodes.find((node) => node.node === shown.centre);
  if (!centre) return null;
  return (
    <div class="graph-list">
      <h3>Inputs</h3>
      <Branch shown={shown} node={centre} direction={UP} seen={[]} />
      <h3>Chosen</h3>
      <Entry node={centre} shown={shown} edge={undefined} />
      <h3>Consumers</h3>
      <Branch shown={shown} node={centre} direction={DOWN} seen={[]} />
    </div>
  );
}

interface BranchProps {
  readonly shown: Neighbourhood;
  readonly node: NodeView;
  readonly direction: Direction;
  /** Nodes that were passed: a graph may have cycles. */
  readonly seen: readonly string[];
}

function Branch({ shown, node, direction, seen }: BranchProps) {
  const passed = [...seen, node.node];
  const next = shown.edges
    .filter((edge) => edge[direction.from] === node.node && !passed.includes(edge[direction.to]))
    .flatMap((edge) => {
      const other = shown.nodes.find((each) => each.node === edge[direction.to]);
      return other ? [{ edge, other }] : [];
    });
  const hidden = direction === UP ? node.hidden_inputs : node.hidden_consumers;
  if (!next.length && seen.length) return null;
  return (
    <ul>
      {next.map(({ edge, other }) => (
        <li key={`${edge.source}:${edge.slot} ${edge.target}:${edge.input}`}>
          <Entry node={other} shown={shown} edge={edge} />
          <Branch shown={shown} node={other} direction={direction} seen={passed} />
        </li>
      ))}
      {next.length || hidden ? null : <li>{direction.nothing}</li>}
      {hidden ? <li class="graph-list-hidden">and {hidden} more</li> : null}
    </ul>
  );
}

interface EntryProps {
  readonly node: NodeView;
  readonly shown: Neighbourhood;
  readonly edge: EdgeView | undefined;
}

function Entry({ node, shown, edge }: EntryProps) {
  const source = edge && shown.nodes.find((each) => each.node === edge.source);
  return (
    <span class={`graph-entry graph-entry-${node.health}`}>
      <button type="button" title={nodeWords(node, shown.centre)} onClick={() => chooseNode(node)}>
        <span class="graph-entry-sign">{SIGNS[node.health] ?? ''}</span> <strong>{typeWords(node)}</strong>{' '}
        <span class="mono">{fullName(node)}</span>
      </button>
      {edge ? <span class="graph-entry-edge mono">{edgeLabel(edge, source)}</span> : null}
      {node.origin ? <span class="graph-entry-edge">origin</span> : null}
    </span>
  );
}
