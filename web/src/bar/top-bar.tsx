/** The bar at the top: what is looked at, how it fares, and the switches of the page. */
import { overview } from '../state/store';
import './top-bar.css';

export function TopBar() {
  return (
    <header class="bar">
      <h1 class="bar-name">tensordbg</h1>
      <span class="bar-program">{overview.value?.program}</span>
    </header>
  );
}
