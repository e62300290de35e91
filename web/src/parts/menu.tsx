/** A small menu behind a button: closed by Escape, and by leaving it. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import './menu.css';

interface MenuProps {
  /** On the button. */
  readonly sign: ComponentChildren;
  /** The button's name. */
  readonly label: string;
  readonly title: string;
  /** What the menu is, for screen readers. */
  readonly about: string;
  readonly children: ComponentChildren;
}

export function Menu({ sign, label, title, about, children }: MenuProps) {
  const box = useRef<HTMLDetailsElement>(null);
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
    <details ref={box} class="menu" onFocusOut={left} onKeyDown={press}>
      <summary title={title} aria-label={label}>
        {sign}
      </summary>
      <fieldset class="menu-list">
        <legend class="unseen">{about}</legend>
        {children}
      </fieldset>
    </details>
  );
}
