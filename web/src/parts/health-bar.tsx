/** A tensor's breakdown as a bar; what is not finite also has a pattern, so that it is seen without colours. */
import type { HealthView } from '../api/types';
import { breakdown, breakdownWords } from './breakdown';
import './health-bar.css';

export function HealthBar({ health }: { readonly health: HealthView | null }) {
  const words = breakdownWords(health);
  return (
    <span class="health-bar" role="img" aria-label={words} title={words}>
      {breakdown(health).map((part) => (
        <span key={part.name} class={`health-part part-${part.name}`} style={{ width: `${100 * part.share}%` }} />
      ))}
    </span>
  );
}
