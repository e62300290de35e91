/** A link to another place of the page: a click moves there, and like any link it can be copied or opened in a new tab. */
import type { ComponentChildren } from 'preact';
import { moved, type Place, writePlace } from '../state/place';
import { go, place } from '../state/store';

interface MoveProps {
  readonly to: Partial<Place>;
  readonly class?: string;
  readonly title?: string;
  readonly label?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

export function Move({ to, class: name, title, label, current, children }: MoveProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      class={name}
      href={writePlace(moved(place.value, to)) || '#'}
      title={title}
      aria-label={label}
      aria-current={current ? 'true' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}
