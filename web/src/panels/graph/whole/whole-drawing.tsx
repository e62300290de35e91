/** The drawing of a whole graph: boxes that open and close, operations, and bundles of tensors between them. */
import { useEffect, useMemo } from 'preact/hooks';
import type { WholeView } from '../../../api/types';
import { place } from '../../../state/store';
import { GraphNode } from '../graph-node';
import { type Cursor, type Scene, Stage } from '../stage';
import { chooseIn, toggleBox } from './act';
import { sought } from './graph-search';
import { type PlacedThing, placedWhole } from './layout';
import { walkedWhole } from './walk';
import { WholeBox } from './whole-box';
import { WholeBundles } from './whole-bundles';
import { wholeWords } from './words';

export function WholeDrawing({ view }: { readonly view: WholeView }) {
  const drawing = useMemo(() => placedWhole(view), [view]);
  const scene = useMemo<Scene>(() => {
    const areas = new Map(drawing.things.map((thing) => [thing.id, thing]));
    return { width: drawing.width, height: drawing.height, first: drawing.way, areaOf: (thing) => areas.get(thing) };
  }, [drawing]);
  const { operation } = place.value;
  const known = new Set(drawing.things.map(({ id }) => id));
  // What was looked for comes first; a chosen operation in a closed box is looked for at the box.
  const centre = [operation, view.centre].find((each) => known.has(each)) ?? '';
  const start = centre || (drawing.things[0]?.id ?? '');
  useEffect(() => {
    if (!known.has(sought.value)) return;
    document.querySelector<SVGElement>(`.graph-svg [data-node="${CSS.escape(sought.value)}"]`)?.focus();
    sought.value = '';
  }, [drawing, operation]);
  const press = (key: string, id: string): boolean => {
    const thing = drawing.things.find((each) => each.id === id);
    if (thing?.box && (key === 'Enter' || key === ' ' || key === 'o')) toggleBox(thing.box, view);
    else if (thing?.node && (key === 'Enter' || key === ' ')) chooseIn(thing.node, view);
    else return false;
    return true;
  };
  const thing = (placed: PlacedThing, cursor: Cursor) => {
    const { id, box, node } = placed;
    const focus = { focusable: id === cursor.at, focused: () => cursor.move(id) };
    if (box) {
      const toggle = (): void => {
        cursor.move(id);
        toggleBox(box, view);
      };
      return <WholeBox key={id} placed={placed} box={box} toggle={toggle} {...focus} />;
    }
    if (!node) return null;
    const choose = (): void => chooseIn(node, view);
    return <GraphNode key={id} placed={{ ...placed, node }} centre={view.centre} choose={choose} {...focus} />;
  };
  return (
    <Stage
      scene={scene}
      centre={centre}
      start={start}
      label={wholeWords(view)}
      walk={(from, direction) => walkedWhole(drawing, from, direction)}
      press={press}
      draw={(cursor) => (
        <>
          {drawing.things.filter(({ box }) => box?.opened).map((each) => thing(each, cursor))}
          <WholeBundles key="bundles" drawing={drawing} centre={view.centre} />
          {drawing.things.filter(({ box }) => !box?.opened).map((each) => thing(each, cursor))}
        </>
      )}
    />
  );
}
