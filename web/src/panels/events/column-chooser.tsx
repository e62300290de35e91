/** Which columns the table has. */
import { Menu } from '../../parts/menu';
import { go, place } from '../../state/store';
import { COLUMNS, chosenColumns, toggled } from './columns';

export function ColumnChooser() {
  const shown = chosenColumns(place.value.columns);
  return (
    <Menu sign="☰" label="Columns" title="Choose the columns" about="Columns of the table">
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
        Usual columns
      </button>
    </Menu>
  );
}
