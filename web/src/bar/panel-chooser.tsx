/** Which panels are shown; the browser remembers it. */
import { Menu } from '../parts/menu';
import { hidden, PANELS, type PanelName, resize, type SplitName, shares, togglePanel } from '../state/sizes';

export function PanelChooser() {
  return (
    <Menu sign="Panels" label="Panels" title="Show and hide panels" about="Panels that are shown">
      {(Object.keys(PANELS) as PanelName[]).map((name) => (
        <label key={name}>
          <input type="checkbox" checked={!hidden.value.has(name)} onChange={() => togglePanel(name)} />
          {PANELS[name]}
        </label>
      ))}
      <button type="button" onClick={usual}>
        All in their usual size
      </button>
    </Menu>
  );
}

/** Shows all panels in the size that they have at first. */
export function usual(): void {
  for (const name of hidden.peek()) togglePanel(name);
  for (const name of Object.keys(shares.peek())) resize(name as SplitName, undefined);
}
