/** The pairs of a step as a list; choosing one moves everything there. */
import { useEffect, useRef } from 'preact/hooks';
import type { PairView } from '../../api/types';
import { Move } from '../../parts/move';
import { short } from '../../parts/numbers';
import { WORDS } from './pairs';

export function PairList({ pairs, chosen }: { readonly pairs: readonly PairView[]; readonly chosen: PairView }) {
  const room = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = room.current?.querySelector<HTMLElement>('.diff-row-chosen');
    // Only the list moves: what one looks at above it stays where it is.
    if (room.current && row) room.current.scrollTop = row.offsetTop - room.current.clientHeight / 2;
  }, [chosen]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keys
    <section class="diff-pairs" ref={room} tabIndex={0} aria-label="Pairs of values">
      <table>
        <thead>
          <tr>
            <th scope="col">A</th>
            <th scope="col">B</th>
            <th scope="col">apart by</th>
            <th scope="col">difference</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map((pair) => (
            <tr key={pair.event_b} class={pair === chosen ? 'diff-row-chosen' : ''}>
              <td title={pair.line_a}>{pair.a}</td>
              <td title={pair.line_b}>
                <Move to={{ event: pair.event_b }} current={pair === chosen}>
                  {pair.b}
                </Move>
              </td>
              <td>{short(pair.error)}</td>
              <td>
                <i class={`diff-key diff-${pair.state}`} /> {WORDS[pair.state]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
