/** The edges of a drawing: tensors on their way from one operation to another. */
import type { Drawing } from './layout';
import { pathOf } from './layout';
import { edgeKey } from './neighbourhood';
import { edgeLabel, edgeWords } from './words';

interface GraphEdgesProps {
  readonly drawing: Drawing;
  readonly centre: string;
}

export function GraphEdges({ drawing, centre }: GraphEdgesProps) {
  const named = new Map(drawing.nodes.map(({ node }) => [node.node, node]));
  return (
    <g class="graph-edges">
      {drawing.edges.map(({ edge, points }) => {
        const near = edge.source === centre || edge.target === centre;
        const words = edgeWords(edge, named.get(edge.source), named.get(edge.target));
        return (
          <g
            key={edgeKey(edge)}
            class={`graph-edge${edge.bad ? ' graph-edge-bad' : ''}${near ? ' graph-edge-near' : ''}`}
          >
            <title>{words}</title>
            {/* A wide line that is not seen makes the narrow one easy to point at. */}
            <path class="graph-edge-reach" d={pathOf(points)} />
            <path
              class="graph-edge-line"
              d={pathOf(points)}
              marker-end={`url(#${edge.bad ? 'graph-arrow-bad' : 'graph-arrow'})`}
            />
          </g>
        );
      })}
      {/* Above all edges: none crosses a word. */}
      {drawing.edges.map(({ edge, label }) =>
        label ? (
          <g key={edgeKey(edge)} class={`graph-edge${edge.bad ? ' graph-edge-bad' : ''}`}>
            <text x={label.x} y={label.y + 3.5}>
              {edge.bad ? '! ' : ''}
              {edgeLabel(edge, named.get(edge.source))}
            </text>
          </g>
        ) : null,
      )}
    </g>
  );
}
