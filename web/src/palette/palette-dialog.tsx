/** The palette: a field over the page in which one types the name of what one wants to see or do. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { answers } from '../api/current';
import { paletteShown } from '../bar/keys';
import { ModalDialog } from '../parts/modal-dialog';
import { list, where } from '../state/store';
import { useAnswer } from '../state/use-answer';
import {
  bareName,
  commands,
  fileEntries,
  findingEntries,
  processEntries,
  runEntries,
  searchEntries,
  tensorEntries,
} from './entries';
import { type Entry, ranked } from './ranking';
import './palette.css';

const MOST = 50;
const MOST_EVENTS = 60;
const MOST_TENSORS = 12;

export function PaletteDialog() {
  return (
    <ModalDialog shown={paletteShown} class="palette" aria-label="Go to anything, or do anything">
      {paletteShown.value ? <Palette /> : null}
    </ModalDialog>
  );
}

function close(): void {
  paletteShown.value = false;
}

function Palette() {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const options = useRef<HTMLDivElement>(null);
  const entries = useEntries(typed);
  useEffect(() => {
    options.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at, entries]);
  const chosen = Math.min(at, Math.max(entries.length - 1, 0));
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by) setAt(Math.min(Math.max(chosen + by, 0), Math.max(entries.length - 1, 0)));
    else if (event.key === 'Enter') take(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        autofocus
        type="text"
        role="combobox"
        aria-label="Name of a finding, tensor, file, run or command"
        aria-expanded="true"
        aria-controls="palette-options"
        aria-activedescendant={entries.length ? `palette-${chosen}` : undefined}
        placeholder="A finding, tensor, file, run or command"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div ref={options} id="palette-options" class="palette-options" role="listbox" aria-label="What fits">
        {entries.map((entry, index) => (
          <Option key={`${entry.kind} ${entry.words} ${index}`} entry={entry} id={index} chosen={index === chosen} />
        ))}
      </div>
      {entries.length ? null : <p class="muted">Nothing has this name.</p>}
    </>
  );
}

/** The dialog is closed first: what is done may put the cursor into a field. */
function take(entry: Entry | undefined): void {
  if (!entry) return;
  close();
  setTimeout(entry.run);
}

interface OptionProps {
  readonly entry: Entry;
  readonly id: number;
  readonly chosen: boolean;
}

function Option({ entry, id, chosen }: OptionProps) {
  const { kind, words, more, key } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the keys
    <div
      id={`palette-${id}`}
      class={`palette-option palette-${kind}`}
      role="option"
      aria-selected={chosen}
      onClick={() => take(entry)}
    >
      <span class="palette-kind">{kind}</span>
      <span class="palette-words">{words}</span>
      {more ? <span class="palette-more">{more}</span> : null}
      {key ? <kbd>{key}</kbd> : null}
    </div>
  );
}

function useEntries(typed: string): readonly Entry[] {
  const text = typed.trim();
  const runs = useAnswer((signal) => answers.runs(signal), []).answer;
  const files = useAnswer((signal) => answers.sources(where.peek(), signal), []).answer;
  const name = bareName(text);
  const tensors = useAnswer(
    name
      ? (signal) => answers.events(where.peek(), { ...list.peek(), search: name }, 0, MOST_EVENTS, signal)
      : undefined,
    [name],
  ).answer;
  const named = [...findingEntries(), ...commands(), ...processEntries(), ...fileEntries(files), ...runEntries(runs)];
  return [
    ...ranked(named, text, MOST),
    ...ranked(tensorEntries(tensors?.rows ?? []), text, MOST_TENSORS),
    ...searchEntries(text),
  ];
}
