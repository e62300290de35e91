/** One operation of the drawing: its type and name, its health with a sign, and what can be done with it. */
import type { NodeView } from '../../api/types';
import { chooseNode, showMore, toggleCall } from './act';
import type { PlacedNode } from './layout';
import { nodeWords, outputsOf, SIGNS, typeWords } from './words';

interface GraphNodeProps {
  readonly placed: PlacedNode;
  readonly centre: string;
  readonly focusable: boolean;
  readonly focused: (node: NodeView) => void;
  readonly choose?: (node: NodeView) => void;
}

export function GraphNode({ placed, centre, focusable, focused, choose = chooseNode }: GraphNodeProps) {
  const { node, x, y, width, height } = placed;
  const chosen = node.node === centre;
  const most = Math.floor((width - 16) / 6.2);
  return (
    <g
      class={`graph-node graph-node-${node.health}${node.origin ? ' graph-node-origin' : ''}${chosen ? ' graph-node-chosen' : ''}`}
      transform={`translate(${x - width / 2} ${y - height / 2})`}
    >
      <title>{[nodeWords(node, centre), ...outputsOf(node)].join('\n')}</title>
      <g
        class="graph-node-body"
        role="button"
        tabIndex={focusable ? 0 : -1}
        data-node={node.node}
        aria-label={nodeWords(node, centre)}
        aria-current={chosen ? 'true' : undefined}
        onClick={() => choose(node)}
        onFocus={() => focused(node)}
      >
        {chosen ? <rect class="graph-node-halo" x={-4} y={-4} width={width + 8} height={height + 8} rx={9} /> : null}
        <rect class="graph-node-box" width={width} height={height} rx={node.argument ? height / 2 : 5} />
      </g>
      <g class="graph-words">
        <text class="graph-node-type" x={width / 2} y={17}>
          <tspan class="graph-node-sign">{SIGNS[node.health] ?? ''}</tspan> {cut(typeWords(node), most - 3)}
        </text>
        <text class="graph-node-name" x={width / 2} y={32}>
          {cut(node.title, most)}
        </text>
      </g>
      {node.origin ? <Origin right={width} /> : null}
      {node.calls.length && choose === chooseNode ? <Call node={node} right={width} height={height} /> : null}
      {node.hidden_inputs ? <More node={node} x={2} y={-4} kind="inputs" number={node.hidden_inputs} /> : null}
      {node.hidden_consumers ? (
        <More node={node} x={2} y={height + 11} kind="consumers" number={node.hidden_consumers} />
      ) : null}
    </g>
  );
}

function Origin({ right }: { readonly right: number }) {
  return (
    <g class="graph-origin" transform={`translate(${right - 40} -9)`}>
      <rect width={44} height={14} rx={7} />
      <text x={22} y={10}>
        origin
      </text>
    </g>
  );
}

function Call({ node, right, height }: { readonly node: NodeView; readonly right: number; readonly height: number }) {
  const words = `${node.opened ? 'Close' : 'Open'} ${node.op_type}: ${node.calls.join(', ')}`;
  return (
    <g
      class="graph-call"
      role="button"
      aria-label={words}
      aria-expanded={node.opened}
      tabIndex={-1}
      transform={`translate(${right - 9} ${height / 2 - 9})`}
      onClick={() => toggleCall(node)}
    >
      <title>{words} (o)</title>
      <circle cx={9} cy={9} r={9} />
      <text x={9} y={13.5}>
        {node.opened ? '−' : '+'}
      </text>
    </g>
  );
}

interface MoreProps {
  readonly node: NodeView;
  readonly x: number;
  readonly y: number;
  readonly kind: 'inputs' | 'consumers';
  readonly number: number;
}

function More({ node, x, y, kind, number }: MoreProps) {
  const words = `Show ${number} more ${number === 1 ? kind.slice(0, -1) : kind} of ${node.name}`;
  return (
    <g class="graph-more" role="button" aria-label={words} tabIndex={-1} onClick={() => showMore(node)}>
      <title>{words} (m)</title>
      <text x={x} y={y}>
        +{number} more
      </text>
    </g>
  );
}

/** The end of a long name tells more than its beginning. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(text.length - Math.max(most - 1, 3))}`;
}
