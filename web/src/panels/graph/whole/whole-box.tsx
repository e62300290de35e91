/** A box of a whole graph: its lid, which opens and closes it, with what is known of what is inside. */
import type { BoxView } from '../../../api/types';
import { SIGNS } from '../words';
import { HEADER, type PlacedThing } from './layout';
import { boxTitle, boxWords, insideWords } from './words';

interface WholeBoxProps {
  readonly placed: PlacedThing;
  readonly box: BoxView;
  readonly focusable: boolean;
  readonly focused: () => void;
  readonly toggle: () => void;
}

/** Titles are bold. */
const CHARACTER = 7.3;

export function WholeBox({ placed, box, focusable, focused, toggle }: WholeBoxProps) {
  const { x, y, width, height } = placed;
  const words = boxWords(box);
  return (
    <g
      class={`whole-box whole-box-${box.opened ? 'open' : 'closed'} whole-box-${box.kind} whole-box-${box.health}`}
      transform={`translate(${x - width / 2} ${y - height / 2})`}
    >
      {/* A second sheet below: there is more inside. */}
      {box.opened ? null : <rect class="whole-box-sheet" x={3} y={3} width={width} height={height} rx={7} />}
      <title>{words}</title>
      <g
        class="whole-box-body"
        role="button"
        tabIndex={focusable ? 0 : -1}
        data-node={box.box}
        aria-expanded={box.opened}
        aria-label={words}
        onClick={toggle}
        onFocus={focused}
      >
        <rect class="whole-box-frame" width={width} height={height} rx={7} />
      </g>
      <g class="graph-words">
        {box.opened ? <OpenLid box={box} width={width} /> : <ClosedLid box={box} width={width} />}
      </g>
      {box.origin ? (
        <g class="graph-origin" transform={`translate(${width - 40} -9)`}>
          <rect width={44} height={14} rx={7} />
          <text x={22} y={10}>
            origin
          </text>
        </g>
      ) : null}
    </g>
  );
}

interface LidProps {
  readonly box: BoxView;
  readonly width: number;
}

function ClosedLid({ box, width }: LidProps) {
  const most = Math.floor((width - 44) / CHARACTER);
  return (
    <>
      <text class="whole-box-sign" x={12} y={19}>
        +
      </text>
      <text class="whole-box-title" x={26} y={18}>
        {shortened(boxTitle(box), most)}
      </text>
      <text class="whole-box-inside" x={26} y={34}>
        <tspan class="graph-node-sign">{SIGNS[box.health] ?? ''}</tspan> {insideWords(box)}
      </text>
    </>
  );
}

function OpenLid({ box, width }: LidProps) {
  const inside = insideWords(box);
  const most = Math.floor((width - 60) / CHARACTER) - inside.length;
  return (
    <>
      <path class="whole-box-lid" d={`M0 ${HEADER} V7 a7 7 0 0 1 7 -7 H${width - 7} a7 7 0 0 1 7 7 V${HEADER} z`} />
      <text class="whole-box-sign" x={12} y={18}>
        −
      </text>
      <text class="whole-box-title" x={26} y={17}>
        {shortened(boxTitle(box), Math.max(most, 8))}
      </text>
      <text class="whole-box-inside whole-box-end" x={width - 10} y={17}>
        <tspan class="graph-node-sign">{SIGNS[box.health] ?? ''}</tspan> {inside}
      </text>
    </>
  );
}

/** The end of a long name tells more than its beginning. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(text.length - Math.max(most - 1, 3))}`;
}
