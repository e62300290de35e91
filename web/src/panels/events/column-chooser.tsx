/** Which columns the table has. */
import { useRef } from 'preact/hooks';
import { go, place } from '../../state/store';
import { COLUMNS, chosenColumns, toggled } from './columns';

export function ColumnChooser() {
  const box = useRef<HTMLDetailsElement>(null);
  const shown = chosenColumns(place.value.columns);

  const close = (): void => {
    if (box.current) box.current.open = false;
  };
  const left = (event: FocusEvent): void => {
    if (!box.current?.contains(event.relatedTarget as Node | null)) close();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !box.current?.open) return;
    event.stopPropagation();
    close();
    box.current.querySelector('summary')?.focus();
  };

  return (
    <details ref={box} class="columns" onFocusOut={left} onKeyDown={press}>
      <summary title="Choose the columns" aria-label="Columns">
        ☰
      </summary>
      <fieldset class="columns-list">
        <legend class="unseen">Columns of the table</legend>
        {COLUMNS.map(({ name, title, about }) => (
          <label key={name} title={about}>
            <input
              type="checkbox"
              checked={shown.some((column) => column.name === name)}
              onChange={() => go({ columns: toggled(place.peek().columns, name) }, 'replace')}
            />
            {title}
          </label>
        ))}
        <button type="button" onClick={() => go({ columns: [] }, 'replace')}>
          The usual ones
        </button>
      </fieldset>
    </details>
  );
}
