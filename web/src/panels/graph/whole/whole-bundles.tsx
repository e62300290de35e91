/** The edges of a whole graph: all tensors between two things as one, thicker where there are many. */
import type { BundleView } from '../../../api/types';
import { pathOf } from '../layout';
import type { PlacedThing, WholeDrawing } from './layout';
import { bundleLabel, bundleWords } from './words';

interface WholeBundlesProps {
  readonly drawing: WholeDrawing;
  readonly centre: string;
}

/** How far the ends of tensors from outside stand out. */
const STUB = 11;

export function WholeBundles({ drawing, centre }: WholeBundlesProps) {
  const named = (id: string): string => {
    const thing = drawing.things.find((each) => each.id === id);
    return thing?.box?.label ?? thing?.node?.title ?? id;
  };
  return (
    <g class={`graph-edges${drawing.way ? ' graph-edges-with-way' : ''}`}>
      {drawing.bundles.map(({ bundle, points, onWay }) => {
        const near = bundle.source === centre || bundle.target === centre;
        return (
          <g
            key={`${bundle.source}\n${bundle.target}`}
            class={`graph-edge${bundle.bad ? ' graph-edge-bad' : ''}${near ? ' graph-edge-near' : ''}${onWay ? ' graph-edge-way' : ''}`}
          >
            <title>{bundleWords(bundle, named)}</title>
            <path class="graph-edge-reach" d={pathOf(points)} />
            <path
              class="graph-edge-line"
              style={{ strokeWidth: thickness(bundle) + (onWay ? 1.6 : 0) }}
              d={pathOf(points)}
              marker-end={`url(#${bundle.bad ? 'graph-arrow-bad' : 'graph-arrow'})`}
            />
          </g>
        );
      })}
      {/* Above all edges: none crosses a word. */}
      {drawing.bundles.map(({ bundle, label, onWay }) =>
        label ? (
          <g
            key={`${bundle.source}\n${bundle.target}`}
            class={`graph-edge${bundle.bad ? ' graph-edge-bad' : ''}${onWay ? ' graph-edge-way' : ''}`}
          >
            <text x={label.x} y={label.y + 3.5}>
              {bundleLabel(bundle)}
            </text>
          </g>
        ) : null,
      )}
      {drawing.things.map((thing) => (
        <Stubs key={thing.id} thing={thing} named={named} />
      ))}
    </g>
  );
}

interface StubsProps {
  readonly thing: PlacedThing;
  readonly named: (id: string) => string;
}

/** Where tensors come in from outside of the box, and where they leave it. */
function Stubs({ thing: { x, y, width, height, entering, leaving }, named }: StubsProps) {
  const side = x - width / 2 + Math.min(14, width / 4);
  return (
    <>
      {entering ? (
        <g class={`whole-stub${entering.bad ? ' whole-stub-bad' : ''}`}>
          <title>{bundleWords(entering, named)}</title>
          <path d={`M${side} ${y - height / 2 - STUB} v${STUB}`} />
          <circle cx={side} cy={y - height / 2 - STUB} r={2.6} />
        </g>
      ) : null}
      {leaving ? (
        <g class={`whole-stub${leaving.bad ? ' whole-stub-bad' : ''}`}>
          <title>{bundleWords(leaving, named)}</title>
          <path d={`M${side} ${y + height / 2} v${STUB}`} />
          <circle cx={side} cy={y + height / 2 + STUB} r={2.6} />
        </g>
      ) : null}
    </>
  );
}

function thickness({ tensors, bad }: BundleView): number {
  return Math.max(1.1 + 1.1 * Math.log10(tensors), bad ? 2 : 0);
}
