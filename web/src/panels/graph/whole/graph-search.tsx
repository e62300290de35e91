/** The search in a whole graph: by any name; what is chosen is come to with the boxes around it open. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { answers } from '../../../api/current';
import type { FoundThing } from '../../../api/types';
import { counted } from '../../../parts/numbers';
import { go, place, where } from '../../../state/store';
import { useAnswer } from '../../../state/use-answer';
import { withBoxesOpen } from './act';

/** How the field is found, to put the cursor into it. */
export const GRAPH_SEARCH = '#graph-search';

/** What was chosen, until the keyboard is there. */
export const sought = signal('');

export function GraphSearch() {
  const { find, event, function: functionName } = place.value;
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const asked = where.value;
  const { answer, problem } = useAnswer(
    find ? (given) => answers.find(asked, { event, function: functionName, text: find }, given) : undefined,
    [asked, event, functionName, find],
  );
  const things = find ? (answer?.things ?? []) : [];
  useEffect(() => setActive(0), [find]);
  const choose = (thing: FoundThing | undefined): void => {
    if (!thing) return;
    setOpen(false);
    sought.value = thing.thing;
    go({ boxes: withBoxesOpen(place.peek().boxes, thing), operation: thing.thing });
  };
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by && things.length) {
      setOpen(true);
      setActive((active + by + things.length) % things.length);
    } else if (event.key === 'Enter') choose(things[active]);
    else if (event.key === 'Escape' && open) setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search class="whole-search">
      <input
        id={GRAPH_SEARCH.slice(1)}
        type="search"
        list={undefined}
        // biome-ignore lint/a11y/noRedundantRoles: it has no datalist, which alone would give it this role.
        role="combobox"
        autoComplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-label="Find in the graph"
        aria-expanded={open && things.length > 0}
        aria-controls="graph-found"
        aria-activedescendant={open && things.length ? `graph-found-${active}` : undefined}
        placeholder="Find in the graph"
        value={find}
        onInput={(event) => {
          setOpen(true);
          go({ find: event.currentTarget.value.trim() }, 'replace');
        }}
        onKeyDown={press}
        onBlur={() => setOpen(false)}
      />
      {find && answer ? (
        <span class="whole-found-count" role="status">
          {problem || (answer.total ? counted(answer.total, 'place') : 'nothing of this name')}
        </span>
      ) : null}
      <div id="graph-found" class="whole-found" role="listbox" aria-label="Found" hidden={!open || !things.length}>
        {things.map((thing, index) => (
          <div
            key={thing.thing}
            id={`graph-found-${index}`}
            class="whole-found-thing"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(thing);
            }}
          >
            <strong>{thing.title}</strong> {thing.kind} <span class="mono muted">{thing.thing}</span>
          </div>
        ))}
      </div>
    </search>
  );
}
