/** The drawing of a neighbourhood: operations in the boxes of their calls, layers and name scopes. */
import { useMemo } from 'preact/hooks';
import { chooseNode, showMore, toggleCall } from './act';
import { GraphEdges } from './graph-edges';
import { GraphNode } from './graph-node';
import type { Drawing } from './layout';
import type { Neighbourhood } from './neighbourhood';
import { type Scene, Stage } from './stage';
import { walked } from './walk';
import { clipped } from './words';

interface GraphDrawingProps {
  readonly drawing: Drawing;
  readonly shown: Neighbourhood;
}

export function GraphDrawing({ drawing, shown }: GraphDrawingProps) {
  const scene = useMemo<Scene>(() => {
    const areas = new Map(drawing.nodes.map((each) => [each.node.node, each]));
    return { width: drawing.width, height: drawing.height, areaOf: (thing) => areas.get(thing) };
  }, [drawing]);
  const press = (key: string, thing: string): boolean => {
    const here = drawing.nodes.find((each) => each.node.node === thing)?.node;
    if (!here) return false;
    if (key === 'Enter' || key === ' ') chooseNode(here);
    else if (key === 'o') toggleCall(here);
    else if (key === 'm') showMore(here);
    else return false;
    return true;
  };
  return (
    <Stage
      scene={scene}
      centre={shown.centre}
      start={shown.centre}
      label={wordsFor(drawing)}
      walk={(from, direction) => walked(drawing, from, direction)}
      press={press}
      draw={(cursor) => (
        <>
          {drawing.boxes.map(({ box, x, y, width, height }) => (
            <g key={box.id} class={`graph-box graph-box-${box.kind}`} data-box={box.label}>
              <rect x={x - width / 2} y={y - height / 2 - 9} width={width} height={height + 9} rx={6} />
              <text x={x - width / 2 + 6} y={y - height / 2 + 3}>
                {clipped(box.label, width)}
              </text>
            </g>
          ))}
          <GraphEdges key="edges" drawing={drawing} centre={shown.centre} />
          {drawing.nodes.map((each) => (
            <GraphNode
              key={each.node.node}
              placed={each}
              centre={shown.centre}
              focusable={each.node.node === cursor.at}
              focused={(node) => cursor.move(node.node)}
            />
          ))}
        </>
      )}
    />
  );
}

function wordsFor(drawing: Drawing): string {
  return `${drawing.nodes.length} operations and ${drawing.edges.length} tensors. Arrow up: to an input. Arrow down: to a consumer. Enter: choose. O: open a call. M: show hidden neighbours.`;
}
