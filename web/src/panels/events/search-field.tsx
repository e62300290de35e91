/** The one search field: what is typed is searched for after a moment, and words that fit are suggested. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import { go, place, where } from '../../state/store';
import { useAnswer } from '../../state/use-answer';
import { accepted, unfinished } from './words';

const WAIT_MS = 450;
/** What is typed within this time is one step back in the browser's history. */
const BURST_MS = 3000;

export function SearchField({ problem }: { readonly problem: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(place.peek().search);
  const [cursor, setCursor] = useState(0);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const applied = useRef({ search: place.peek().search, at: Number.NEGATIVE_INFINITY });

  const { answer } = useAnswer(open ? (signal) => answers.suggestions(where.peek(), text, cursor, signal) : undefined, [
    open,
    text,
    cursor,
    where.value,
  ]);
  const words = open ? (answer?.words ?? []) : [];

  // The keys go on below what is seen of the list.
  useEffect(() => document.getElementById(`search-word-${active}`)?.scrollIntoView({ block: 'nearest' }), [active]);

  const search = place.value.search;
  useEffect(() => {
    if (search === applied.current.search) return;
    applied.current = { search, at: Number.NEGATIVE_INFINITY };
    setText(search);
  }, [search]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const apply = (given: string): void => {
    clearTimeout(timer.current);
    const now = performance.now();
    const mode = now - applied.current.at < BURST_MS ? 'replace' : 'push';
    applied.current = { search: given.trim(), at: now };
    go({ search: given.trim() }, mode);
  };
  const typed = (given: string, at: number): void => {
    setText(given);
    setCursor(at);
    setActive(-1);
    clearTimeout(timer.current);
    if (!unfinished(given)) timer.current = setTimeout(() => apply(given), WAIT_MS);
  };
  const accept = (word: string): void => {
    const next = accepted(text, answer?.begin ?? cursor, cursor, word);
    typed(next.text, next.cursor);
    requestAnimationFrame(() => field.current?.setSelectionRange(next.cursor, next.cursor));
  };
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const word = words[active];
    if (by) {
      if (open && words.length) setActive(((active + by + words.length + 1) % (words.length + 1)) as number);
      else setOpen(true);
    } else if (event.key === 'Enter') {
      if (word) accept(word);
      else {
        apply(text);
        setOpen(false);
      }
    } else if (event.key === 'Escape' && words.length) {
      setOpen(false);
      setActive(-1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <search class="search">
      <input
        ref={field}
        id="search"
        type="search"
        list={undefined}
        // biome-ignore lint/a11y/noRedundantRoles: it has no datalist, which alone would give it this role.
        role="combobox"
        placeholder="Search: op:Log step:3.. nonfinite"
        aria-label="Search the tensor events"
        aria-autocomplete="list"
        aria-expanded={words.length > 0}
        aria-controls="search-words"
        aria-activedescendant={words[active] === undefined ? undefined : `search-word-${active}`}
        aria-invalid={problem ? 'true' : 'false'}
        aria-describedby={problem ? 'search-problem' : undefined}
        autoComplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setOpen(true);
          typed(event.currentTarget.value, event.currentTarget.selectionStart ?? 0);
        }}
        onFocus={(event) => {
          setCursor(event.currentTarget.selectionStart ?? 0);
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <div id="search-words" class="search-words" role="listbox" aria-label="Suggestions" hidden={!words.length}>
        {words.map((word, index) => (
          <div
            key={word}
            id={`search-word-${index}`}
            class="search-word"
            role="option"
            aria-selected={index === active}
            onPointerDown={(event) => {
              event.preventDefault();
              accept(word);
            }}
          >
            {word}
          </div>
        ))}
      </div>
    </search>
  );
}
